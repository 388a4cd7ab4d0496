import { ApolloArmor } from '@escape.tech/graphql-armor';

/** Longer than any document that the limits below let through; longer ones are not even read. */
export const maxTokens = 3000;

/** What one document may ask. The console's largest operation uses about a tenth of each. */
export const documentLimits = new ApolloArmor({
  maxDepth: { n: 10 },
  maxAliases: { n: 15 },
  maxDirectives: { n: 20 },
  maxTokens: { n: maxTokens },
  costLimit: { maxCost: 5000 },
  // The schema is published; suggestions help whoever writes a dashboard.
  blockFieldSuggestion: { enabled: false },
}).protect();
