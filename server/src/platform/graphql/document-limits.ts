import { ApolloArmor } from '@escape.tech/graphql-armor';
import {
  GraphQLError,
  type ASTVisitor,
  type ListValueNode,
  type ObjectValueNode,
  type ValidationContext,
} from 'graphql';
import { maxVariableDepth } from '../http/body-limits.js';
import { InvalidInputError } from '../../shared/errors.js';

/** Parsing stops after this many tokens, and the error is the caller's. */
export const maxTokens = 3000;

/** Limits of one document. The console's largest operation uses about a tenth of each. */
const { plugins, validationRules } = new ApolloArmor({
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

/** A value in the document may nest as deep as one in a variable. */
function limitValueDepth(context: ValidationContext): ASTVisitor {
  let depth = 0;
  const value = {
    enter(node: ListValueNode | ObjectValueNode): false | undefined {
      if (++depth <= maxVariableDepth) return undefined;
      depth--;
      context.reportError(
        new GraphQLError(`A value is nested more than ${maxVariableDepth} levels deep`, { nodes: node }),
      );
      return false;
    },
    leave(): void {
      depth--;
    },
  };
  return { ListValue: value, ObjectValue: value };
}

export const documentLimits = { plugins, validationRules: [...validationRules, limitValueDepth] };

/** The largest operation of the console names a field 30 times. */
const maxRepeats = 100;

/**
 * Refuses documents that name anything very often, before they are validated: GraphQL compares each field with all others of
 * its name.
 * @throws AppError INVALID_INPUT
 */
export function assertFewRepeats(query: string): void {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [name] of query.matchAll(/[_A-Za-z]\w*/g)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    // The parser refuses such a document.
    if (++total > maxTokens) return;
  }
  for (const [name, count] of counts) {
    if (count <= maxRepeats) continue;
    throw new InvalidInputError(`The document names ${name.slice(0, 40)} more than ${maxRepeats} times`);
  }
}
