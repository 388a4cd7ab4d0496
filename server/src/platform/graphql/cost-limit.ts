import { HeaderMap, type ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { MaybeActor } from '../../shared/actor.js';
import { isAppError } from '../../shared/errors.js';
import { countBytes, type GraphQLContext } from './context.js';
import { budgetSpent, type CostBudget } from './cost-budget.js';
import { arrivalCost, costOfOperation, maxOperationCost, operationCost, tooExpensive } from './cost.js';
import { Introspection, lengthOf } from './introspection.js';

/** `extensions.cost` of a response. */
export interface CostReport {
  /** Cost of this operation. */
  readonly requested: number;
  /** Maximum cost of one operation. */
  readonly limit: number;
  /** For a signed-in caller: the remaining budget of the credential until `resetsInSeconds`. */
  readonly remaining?: number;
  readonly resetsInSeconds?: number;
}

/** Refuses operations that exceed the cost limit or the caller's budget, before anything is read. */
export function costLimit(budget: CostBudget): ApolloServerPlugin<GraphQLContext> {
  const introspection = new Introspection();
  return {
    async requestDidStart() {
      let report: CostReport | undefined;
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue }) {
          if (!operation) return;
          const arrived = arrivalCost(contextValue.request);
          const requested =
            arrived -
            operationCost +
            withStatus(() => costOfOperation(schema, document, operation, request.variables ?? {}));
          report = { requested, limit: maxOperationCost };
          const refusal = tooExpensive(requested);
          if (refusal) throw refusal;
          const actor = actorOf(contextValue);
          // The cost of the request itself was charged on arrival, to callers with a credential (`context.ts`).
          const due = actor ? requested - arrived : requested;
          const spending = await budget.spend(actor, contextValue.request.ip, due);
          if (!spending) return;
          const { allowed, remaining, resetsInSeconds } = spending;
          if (actor) report = { ...report, remaining, resetsInSeconds };
          if (!allowed) {
            const error = budgetSpent(spending);
            const headers = new Map([['retry-after', String(resetsInSeconds)]]);
            throw new GraphQLError(error.message, {
              originalError: error,
              extensions: { http: { status: 429, headers } },
            });
          }
        },
        async responseForOperation({ schema, document, operation, contextValue, request: { variables } }) {
          // Apollo comes here also without an operation of the given name, and with `null` for variables.
          if (!operation) return null;
          const result = await introspection.resultOf(schema, document, operation, variables ?? {});
          if (!result) return null;
          countBytes(contextValue.request, lengthOf(result));
          // A copy is returned, because each response has its own cost.
          return {
            http: { status: undefined, headers: new HeaderMap() },
            body: { kind: 'single', singleResult: { ...result } },
          };
        },
        async willSendResponse({ response }) {
          if (!report || response.body.kind !== 'single') return;
          const { singleResult } = response.body;
          singleResult.extensions = { ...singleResult.extensions, cost: report };
        },
      };
    },
  };
}

/** Converts an error. Apollo treats an error of a plugin as a defect of the server, unless it has a status. */
function withStatus(read: () => number): number {
  try {
    return read();
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new GraphQLError(error.message, { originalError: error, extensions: { http: { status: 400 } } });
  }
}

/** Returns the caller; null without valid credentials, when the caller is limited by address. */
function actorOf(context: GraphQLContext): MaybeActor {
  try {
    return context.actor;
  } catch {
    return null;
  }
}
