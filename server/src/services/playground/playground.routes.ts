import cookie from '@fastify/cookie';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authenticate, type Authenticator } from '../../platform/http/authenticate.js';
import { AppError } from '../../shared/errors.js';
import { requireActor } from '../../shared/actor.js';
import type { BodyBudget, BodyGrant } from '../../gateway/admit/body-budget.js';
import { keylessToken, type KeyDirectory } from '../../gateway/admit/key-directory.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import { openAIErrors, playgroundEndpoint } from '../chat/chat-endpoints.js';
import { asText } from '../../dialects/neutral/fields.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import type { Relay } from '../../gateway/pipeline.js';
import { sendFailure } from '../../gateway/deliver/send-failure.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { checkTarget, hijack, leaveBodies } from '../../gateway/incoming-request.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import { endpointRoutes } from '../endpoints.js';
import { addRelayRoutes, relayRoute, type RelayRoute } from '../relay-route.js';
import { chatExample, chatResponse, message, model, open, stream, text } from '../relay-shapes.js';
import { pathPart } from '../tasks/incoming-task.js';
import type { VideoRoutesDeps } from '../tasks/task-routes-deps.js';
import { videoShape } from '../tasks/video/video-shape.js';

export interface PlaygroundDeps extends VideoRoutesDeps {
  readonly relay: Relay;
  readonly keys: KeyDirectory;
  readonly bodies: BodyBudget;
  readonly authenticator: Authenticator;
}

/** A call whose caller is known. */
interface SignedInCall {
  readonly incoming: IncomingRequest;
  readonly client: ClientResponse;
  /** The part of the path that names a video. */
  readonly id: string;
}

/** A route of the playground. */
interface Served {
  /** Reads the group that routes and pays. */
  groupOf(incoming: IncomingRequest, grant: BodyGrant): Promise<{ readonly group: string; readonly body?: Buffer }>;
  serve(deps: PlaygroundDeps, call: SignedInCall): Promise<unknown>;
}

/** `/pg`: the console's playground calls models with the session of the signed-in user. */
export function playgroundRoutes(deps: PlaygroundDeps): FastifyPluginAsync {
  return async (app) => {
    await app.register(cookie);
    leaveBodies(app);
    addRelayRoutes(app, playgroundOperations, ['/pg'], (served) => (request, reply) => {
      const { incoming, client } = hijack(request, reply, deps.maxBodyBytes);
      void serve(deps, served, request, { incoming, client, id: pathPart(request, 'id') });
    });
  };
}

const ofSession = { role: 'common' } as const;
const forSession = 'A session and the user-id header, no access token. `group` chooses one of the groups of the user.';
const inQuery = { group: text.optional().describe('A group of the user. Absent: their own') };

/** The group is in the query, because a form has no room for it. The rest is a call of `/v1`. */
const called = (endpoint: Endpoint): Served => ({
  groupOf: byQuery,
  serve: ({ relay }, { incoming, client }) => relay.serve(endpoint, incoming, client),
});

const tried = new Set(
  [
    'completions',
    'embeddings',
    'moderations',
    'rerank',
    'images/generations',
    'audio/speech',
    'audio/transcriptions',
  ].map((path) => `POST /v1/${path}`),
);

const video = (serve: Served['serve']): Served => ({ groupOf: byQuery, serve });

const ofVideo = {
  ...ofSession,
  description: forSession,
  query: inQuery,
  path: { id: text.describe('Id of the video') },
  example: { path: { id: 'none' } },
} as const;

/** Every route below `/pg`. */
export const playgroundOperations: ReadonlyArray<RelayRoute<Served>> = [
  relayRoute(
    'POST /pg/chat/completions',
    {
      async groupOf(incoming, grant) {
        const body = await incoming.readBody({ grant });
        return { group: asText(parseJsonBody(body)['group']), body };
      },
      serve: ({ relay }, { incoming, client }) => relay.serve(playgroundEndpoint, incoming, client),
    },
    {
      ...ofSession,
      summary: "The console's playground",
      description: forSession,
      body: open({ model, messages: z.array(message) }, { group: text, stream }),
      response: chatResponse,
      streams: true,
      example: { body: chatExample },
    },
  ),
  ...endpointRoutes
    .filter(({ route }) => tried.has(route))
    .map(({ route, served, ...described }) =>
      relayRoute(`POST /pg${route.slice('POST /v1'.length)}`, called(served), {
        ...described,
        ...ofSession,
        description: forSession,
        query: inQuery,
      }),
    ),
  relayRoute(
    'POST /pg/videos',
    video(async ({ videos }, { incoming, client }) => sendJson(client, await videos.create(incoming, client))),
    {
      ...ofSession,
      summary: 'Submit a video',
      description: forSession,
      query: inQuery,
      body: open({ prompt: text }, { model: text, seconds: text, size: text }),
      response: videoShape,
      errors: ['MODEL_NOT_PRICED', 'UNSUPPORTED_BY_CHANNEL'],
      example: { body: { model: 'sora-2', prompt: 'a lighthouse', seconds: '4', size: '1280x720' } },
    },
  ),
  relayRoute(
    'GET /pg/videos/:id',
    video(async ({ videos }, { incoming, client, id }) => sendJson(client, await videos.one(incoming, id))),
    { ...ofVideo, summary: 'A video', response: videoShape, errors: ['NOT_FOUND'] },
  ),
  relayRoute(
    'GET /pg/videos/:id/content',
    video(({ content }, { incoming, client, id }) => content.send(incoming, id, client)),
    {
      ...ofVideo,
      summary: 'The bytes of a completed video',
      media: 'video/mp4',
      withoutHead: true,
      errors: ['NOT_FOUND'],
    },
  ),
];

function sendJson(client: ClientResponse, body: Record<string, unknown>): void {
  client.send(200, { 'content-type': 'application/json' }, JSON.stringify(body));
}

function byQuery({ query }: IncomingRequest): ReturnType<Served['groupOf']> {
  return Promise.resolve({ group: new URLSearchParams(query).get('group') ?? '' });
}

async function serve(deps: PlaygroundDeps, served: Served, request: FastifyRequest, call: SignedInCall): Promise<void> {
  const { incoming, client } = call;
  let grant: BodyGrant | undefined;
  try {
    refuseForeign(request);
    checkTarget(incoming);
    const actor = requireActor(await authenticate(request, deps.authenticator));
    grant = deps.bodies.open(actor.id);
    const { group, body } = await served.groupOf(incoming, grant);
    const caller = await playgroundCaller(actor.id, group, deps.keys);
    const known: IncomingRequest = {
      ...incoming,
      caller,
      // Adapters forward the path and the query to the provider.
      path: incoming.path.replace(/^\/pg/, '/v1'),
      query: '',
      ...(body && { readBody: () => Promise.resolve(body) }),
    };
    await served.serve(deps, { ...call, incoming: known });
  } catch (error) {
    const failure = deps.videos.failureOf(error);
    const isExpected = error instanceof AppError || error instanceof UpstreamError;
    if (failure.status >= 500 && !isExpected) request.log.error({ err: error }, 'unexpected failure');
    sendFailure(client, failure, incoming.requestId, openAIErrors);
  } finally {
    grant?.release();
  }
}

/** Refuses pages of other sites. Sessions are for the console's own pages; programs use API keys. */
function refuseForeign(request: FastifyRequest): void {
  if (request.headers['sec-fetch-site'] === 'cross-site') {
    throw new AppError('INSUFFICIENT_PRIVILEGES', 'The playground is for pages of this site');
  }
  if (request.headers.authorization !== undefined) {
    throw new RelayError('INVALID_INPUT', 'The playground does not accept access tokens', 'access_token_not_supported');
  }
}

/**
 * Returns a signed-in user as a relay caller: the user pays, without a token
 * (docs/reference/relay/access.md#playground).
 * @param group whose channels and ratio apply; '' is the user's own
 * @throws AppError USER_BANNED, NOT_SIGNED_IN; UnavailableError when the database does not respond
 */
async function playgroundCaller(userId: number, group: string, keys: KeyDirectory): Promise<Caller> {
  const user = await keys.user(userId);
  if (!user) throw new AppError('NOT_SIGNED_IN', 'No permission: the account was deleted');
  if (user.status !== 'enabled') throw new AppError('USER_BANNED', 'User is banned');
  const token = keylessToken(userId, `playground-${group || user.group || 'default'}`, group);
  return { user, token, key: '', pin: null };
}
