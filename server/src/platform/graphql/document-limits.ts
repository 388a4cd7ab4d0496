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

/** Number of tokens after which parsing stops with an error of the caller. */
export const maxTokens = 3000;

/** Limits of one document. The console's largest operation uses about a tenth of each. */
const { plugins, validationRules } = new ApolloArmor({
  maxDepth: { n: 10 },
  maxAliases: { n: 15 },
  maxDirectives: { n: 20 },
  // The parser's own limit counts in the same way and returns 400, where this limit returns 500.
  maxTokens: { enabled: false },
  // The limit in `cost-limit.ts`, which counts rows, replaces this one.
  costLimit: { enabled: false },
  // The schema is published, and suggestions help authors of dashboards.
  blockFieldSuggestion: { enabled: false },
}).protect();

/** Limits values in the document to the same depth as values in variables. */
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

/**
 * Maximum number of times that a document may use one name. The largest operation of the console names a field 30
 * times.
 */
const maxRepeats = 100;

/**
 * Refuses documents that repeat a name too often, before they are validated, because validation compares each field
 * with all others of its name.
 * @throws AppError INVALID_INPUT
 */
export function assertFewRepeats(query: string): void {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [name] of query.matchAll(/[_A-Za-z]\w*/g)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    // The parser refuses such a document itself.
    if (++total > maxTokens) return;
  }
  for (const [name, count] of counts) {
    if (count <= maxRepeats) continue;
    throw new InvalidInputError(`The document names ${name.slice(0, 40)} more than ${maxRepeats} times`);
  }
}
