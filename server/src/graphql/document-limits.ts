import { ApolloArmor } from '@escape.tech/graphql-armor';

/** Parsing stops after this many tokens, and the error is the caller's. */
export const maxTokens = 3000;

/** Limits of one document. The console's largest operation uses about a tenth of each. */
export const documentLimits = new ApolloArmor({
  maxDepth: { n: 10 },
  maxAliases: { n: 15 },
  maxDirectives: { n: 20 },
  // The parser's own limit counts the same way and returns 400 where this one returns 500.
  maxTokens: { enabled: false },
  // Replaced by our limit, which counts rows (`cost-limit.ts`).
  costLimit: { enabled: false },
  // The schema is published, and suggestions help authors of dashboards.
  blockFieldSuggestion: { enabled: false },
}).protect();
