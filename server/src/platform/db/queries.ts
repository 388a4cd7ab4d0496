/** The method of a database that readers need. */
export interface Queries {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}
