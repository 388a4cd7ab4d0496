import { ApolloArmor } from '@escape.tech/graphql-armor';

/** A longer document is not read to its end: `parse` stops here, and what it throws is the caller's mistake. */
export const maxTokens = 3000;

/** What one document may ask. The console's largest operation uses about a tenth of each. */
export const documentLimits = new ApolloArmor({
  maxDepth: { n: 10 },
  maxAliases: { n: 15 },
  maxDirectives: { n: 20 },
  // Counts as the parser does, and answers 500 where that answers 400.
  maxTokens: { enabled: false },
  // Ours counts rows (`cost-limit.ts`).
  costLimit: { enabled: false },
  // The schema is published; suggestions help whoever writes a dashboard.
  blockFieldSuggestion: { enabled: false },
}).protect();
