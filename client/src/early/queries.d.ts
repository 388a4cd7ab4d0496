/** Texts of the queries that are asked early, by operation: `client/earlyQueries.ts` puts them here. */
declare const earlyQueries: Readonly<Record<string, string>>;
