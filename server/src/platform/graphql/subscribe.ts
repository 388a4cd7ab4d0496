import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  parse,
  specifiedRules,
  subscribe,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { z } from 'zod';
import { costOfOperation, tooExpensive } from './cost.js';
import { documentLimits, maxTokens } from './document-limits.js';
import type { StreamContext } from './live-sources.js';

const requestShape = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

export type StreamRequest = z.infer<typeof requestShape>;

/** @throws ZodError */
export const parseStreamRequest = (body: unknown): StreamRequest => requestShape.parse(body);

export type Results = AsyncGenerator<ExecutionResult, void, void>;

/** Runs one subscription under the limits of every document. A refused one returns `errors` with a code in each. */
export async function openSubscription(
  schema: GraphQLSchema,
  request: StreamRequest,
  context: () => Promise<StreamContext>,
): Promise<Results | { readonly errors: readonly GraphQLError[] }> {
  const document = read(request.query);
  if (document instanceof GraphQLError) return { errors: [document] };
  const broken = validate(schema, document, [...specifiedRules, ...documentLimits.validationRules]);
  if (broken.length > 0) return { errors: broken.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')) };
  const operation = getOperationAST(document, request.operationName);
  if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) {
    return { errors: [coded(new GraphQLError('Only subscriptions are streamed'), 'BAD_REQUEST')] };
  }
  const refusal = tooExpensive(costOfOperation(schema, document, operation, request.variables ?? {}));
  if (refusal) return { errors: [refusal] };
  const result = await subscribe({
    schema,
    document,
    variableValues: request.variables ?? {},
    operationName: request.operationName ?? null,
    contextValue: await context(),
  });
  if (!('errors' in result)) return result as Results;
  // An error without a path is about a variable.
  return { errors: (result.errors ?? []).map((error) => (error.path ? error : coded(error, 'BAD_USER_INPUT'))) };
}

function read(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens });
  } catch (error) {
    if (error instanceof GraphQLError) return coded(error, 'GRAPHQL_PARSE_FAILED');
    throw error;
  }
}

const coded = (error: GraphQLError, code: string): GraphQLError =>
  new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    extensions: { code },
  });
