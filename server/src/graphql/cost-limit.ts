import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { MaybeActor } from '../shared/actor.js';
import type { GraphQLContext } from './context.js';
import { budgetSpent, type CostBudget } from './cost-budget.js';
import { costOfOperation, maxOperationCost, operationCost, tooExpensive } from './cost.js';

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
  return {
    async requestDidStart() {
      let report: CostReport | undefined;
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue }) {
          if (!operation) return;
          const requested = costOfOperation(schema, document, operation, request.variables ?? {});
          report = { requested, limit: maxOperationCost };
          const refusal = tooExpensive(requested);
          if (refusal) throw refusal;
          const actor = actorOf(contextValue);
          // The fixed cost of the request was charged on arrival (`context.ts`).
          const spending = actor && (await budget.spend(actor, requested - operationCost));
          if (!spending) return;
          const { allowed, remaining, resetsInSeconds } = spending;
          report = { ...report, remaining, resetsInSeconds };
          if (!allowed) {
            const error = budgetSpent(spending);
            const headers = new Map([['retry-after', String(resetsInSeconds)]]);
            throw new GraphQLError(error.message, {
              originalError: error,
              extensions: { http: { status: 429, headers } },
            });
          }
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

/** Null for callers without valid credentials, who are limited by address. */
function actorOf(context: GraphQLContext): MaybeActor {
  try {
    return context.actor;
  } catch {
    return null;
  }
}
