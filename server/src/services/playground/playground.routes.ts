import cookie from '@fastify/cookie';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authenticate, type Authenticator } from '../../platform/http/authenticate.js';
import { AppError } from '../../shared/errors.js';
import { requireActor } from '../../shared/actor.js';
import { keylessToken, type KeyDirectory } from '../../gateway/admit/key-directory.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import { openAIErrors, playgroundEndpoint } from '../chat/chat-endpoints.js';
import { asText } from '../../dialects/neutral/fields.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { toCallFailure } from '../../dialects/errors/failure.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import type { Relay } from '../../gateway/pipeline.js';
import { sendFailure } from '../../gateway/deliver/send-failure.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { hijack, leaveBodies } from '../../gateway/incoming-request.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import { addRelayRoutes, relayRoute } from '../relay-route.js';
import { chatExample, chatResponse, message, model, open, stream, text } from '../relay-shapes.js';

export interface PlaygroundDeps {
  readonly relay: Relay;
  readonly keys: KeyDirectory;
  readonly authenticator: Authenticator;
  readonly maxBodyBytes: number;
}

/** `/pg`: the console's playground calls models with the session of the signed-in user. */
export function playgroundRoutes(deps: PlaygroundDeps): FastifyPluginAsync {
  return async (app) => {
    await app.register(cookie);
    leaveBodies(app);
    addRelayRoutes(app, [playgroundRoute], ['/pg'], (served) => (request, reply) => {
      const { incoming, client } = hijack(request, reply, deps.maxBodyBytes);
      void served(deps, request, incoming, client);
    });
  };
}

/** `POST /pg/chat/completions`. */
export const playgroundRoute = relayRoute('POST /pg/chat/completions', serve, {
  summary: "The console's playground",
  description: 'A session and the user-id header, no access token. `group` chooses one of the groups of the user.',
  role: 'common',
  body: open({ model, messages: z.array(message) }, { group: text, stream }),
  response: chatResponse,
  streams: true,
  example: { body: chatExample },
});

async function serve(
  deps: PlaygroundDeps,
  request: FastifyRequest,
  incoming: IncomingRequest,
  client: ClientResponse,
): Promise<void> {
  try {
    refuseForeign(request);
    const actor = requireActor(await authenticate(request, deps.authenticator));
    const body = await incoming.readBody();
    const caller = await playgroundCaller(actor.id, asText(parseJsonBody(body)['group']), deps.keys);
    const known: IncomingRequest = { ...incoming, caller, readBody: () => Promise.resolve(body) };
    await deps.relay.serve(playgroundEndpoint, known, client);
  } catch (error) {
    const failure = toCallFailure(error);
    if (failure.status >= 500 && !(error instanceof AppError)) request.log.error({ err: error }, 'unexpected failure');
    sendFailure(client, failure, incoming.requestId, openAIErrors);
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
