import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { GraphQLError, OperationTypeNode, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Authenticator } from '../http/authenticate.js';
import { parseBoundedJson } from '../http/body-limits.js';
import { toFailure } from '../http/rest-error.js';
import { asFields } from '../../shared/json.js';
import { admission, createContext, endVisit, type GraphQLContext } from './context.js';
import type { CostBudget } from './cost-budget.js';
import { bodyLimit } from './cost.js';
import { costLimit } from './cost-limit.js';
import { assertFewRepeats, documentLimits, maxTokens } from './document-limits.js';
import { formatErrors } from './format-error.js';
import { responseText } from './introspection.js';
import type { OpenStreams } from './open-streams.js';
import { mountStreams } from './stream.js';
import type { TimeShare } from './time-share.js';

export interface GraphQLDeps {
  readonly schema: GraphQLSchema;
  readonly authenticator: Authenticator;
  /** Event sources of the subscriptions (`live-sources.ts`). */
  readonly live: object;
  readonly streams: OpenStreams;
  readonly logger: Pick<Logger, 'error'>;
  readonly budget: CostBudget;
  readonly time: TimeShare;
  /** Limits callers without valid credentials. */
  readonly limitByAddress: onRequestAsyncHookHandler;
}

/**
 * `POST /graphql`, `GET /graphql` for queries, and `POST /graphql/stream`. A foreign page cannot send any of these with the
 * visitor's session: JSON bodies and the headers that a GET needs are preflighted, and preflights allow no credentials.
 */
export const graphqlPlugin =
  ({ schema, authenticator, live, streams, logger, budget, time, limitByAddress }: GraphQLDeps): FastifyPluginAsync =>
  async (app) => {
    const { plugins, validationRules } = documentLimits;
    const report = (error: unknown): void => logger.error({ err: error }, 'resolver failed');
    const server = new ApolloServer<GraphQLContext>({
      schema,
      validationRules,
      parseOptions: { maxTokens },
      // Armor's types refer to Apollo's CommonJS build, which is the same at run time.
      plugins: [
        ...(plugins as unknown as ApolloServerPlugin<GraphQLContext>[]),
        ApolloServerPluginLandingPageDisabled(),
        // It would run before each field of each row, for a header that is the same for every response.
        ApolloServerPluginCacheControlDisabled(),
        refuseSubscriptions,
        oneErrorPerField,
        costLimit(budget),
      ],
      formatError: formatErrors(report),
      stringifyResult: responseText,
      introspection: true,
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
      persistedQueries: false,
      allowBatchedHttpRequests: false,
      csrfPrevention: { requestHeaders: preflightedHeaders },
    });
    await server.start();
    app.addHook('onClose', () => server.stop());
    app.setErrorHandler(sendGraphQLError);
    app.addHook('onRequest', admission(authenticator, budget, time, limitByAddress));
    app.addHook('onSend', async (request) => endVisit(request));
    app.addHook('preValidation', limitNames);
    const handler = fastifyApolloHandler(server, {
      context: (request, reply) => createContext(request, reply, authenticator),
    });
    app.route({ method: ['GET', 'POST'], url: '/graphql', exposeHeadRoute: false, bodyLimit, handler });
    app.route({ method: ['HEAD', 'PUT', 'PATCH', 'DELETE'], url: '/graphql', handler: refuseMethod });
    mountStreams(app, { schema, authenticator, live, streams, report });
  };

/** Refuses subscriptions: a response of `/graphql` is one JSON body. */
const refuseSubscriptions: ApolloServerPlugin<GraphQLContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation }) {
        if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return;
        throw new GraphQLError('Subscriptions are server-sent events: send them to /graphql/stream', {
          extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
        });
      },
    };
  },
};

/**
 * Keeps the first of the errors that say that the caller lacks a right for a field: a list would have one for each row.
 */
const oneErrorPerField: ApolloServerPlugin = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body } }) {
        if (body.kind !== 'single' || !body.singleResult.errors) return;
        const seen = new Set<string>();
        body.singleResult.errors = body.singleResult.errors.filter(({ message, path, extensions }) => {
          if (extensions?.['code'] !== 'INSUFFICIENT_PRIVILEGES') return true;
          const place = JSON.stringify([message, path?.filter((name) => typeof name === 'string')]);
          return !seen.has(place) && seen.add(place);
        });
      },
    };
  },
};

/**
 * A request must have one of these headers, which mark a GET as sent by a program: a page of another site cannot send
 * them without a preflight.
 */
const preflightedHeaders = ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'];

/**
 * Holds the document of a body, or of the query of a GET, to the limits that apply before it is parsed.
 * @throws AppError INVALID_INPUT
 */
async function limitNames({ body, query: address }: FastifyRequest): Promise<void> {
  const { query, variables } = address as Record<string, unknown>;
  for (const document of [query, asFields(body)?.['query']])
    if (typeof document === 'string') assertFewRepeats(document);
  if (typeof variables === 'string') parseBoundedJson(Buffer.from(variables));
}

async function refuseMethod({ method }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const message = `GraphQL takes POST, and GET for queries, not ${method}`;
  return reply
    .status(405)
    .header('Allow', 'GET, POST')
    .send({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
}

/** Sends failures that occur before a document is read: limits, or a body that is not JSON. */
function sendGraphQLError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, code, retryAfterSeconds } = toFailure(error);
  if (code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'unexpected failure');
  if (retryAfterSeconds) reply.header('Retry-After', String(retryAfterSeconds));
  return reply.status(status === 200 ? 400 : status).send({ errors: [{ message, extensions: { code } }] });
}
