import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isAppError } from '../../../shared/errors.js';
import type { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { checkTarget, hijack } from '../../../gateway/incoming-request.js';
import { sendFailure } from '../../../gateway/deliver/send-failure.js';
import { openAIErrors } from '../../chat/chat-endpoints.js';
import { prefixes } from '../../endpoints.js';
import type { CallFailure } from '../../../dialects/errors/failure.js';
import { UpstreamError } from '../../../dialects/errors/upstream-error.js';
import { pathPart, withRawBodies } from '../incoming-task.js';
import type { VideoRoutesDeps } from '../task-routes-deps.js';

type Handler = (
  incoming: IncomingRequest,
  id: string,
  client: ClientResponse,
) => Promise<Record<string, unknown> | null>;

/** `/v1/videos` (docs/reference/relay/tasks.md#videos). */
export const videoRoutes = ({ videos, content, maxBodyBytes }: VideoRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    const serve = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) => {
      const { incoming, client } = hijack(request, reply, maxBodyBytes);
      const failureOf = (error: unknown): CallFailure => videos.failureOf(error);
      void answer({ request, incoming, client, failureOf }, () => handler(incoming, pathPart(request, 'id'), client));
    };
    for (const prefix of prefixes) {
      app.post(
        `${prefix}/videos`,
        serve((incoming, _id, client) => videos.create(incoming, client)),
      );
      app.get(
        `${prefix}/videos`,
        serve((incoming) => videos.list(incoming)),
      );
      app.get(
        `${prefix}/videos/:id`,
        serve((incoming, id) => videos.one(incoming, id)),
      );
      app.delete(
        `${prefix}/videos/:id`,
        serve((incoming, id) => videos.remove(incoming, id)),
      );
      app.get(
        `${prefix}/videos/:id/content`,
        // A HEAD request would read the whole video from the provider.
        { exposeHeadRoute: false },
        serve((incoming, id, client) => content.send(incoming, id, client)),
      );
      app.post(
        `${prefix}/videos/:id/remix`,
        serve((incoming, id) => videos.remix(incoming, id)),
      );
    }
  });

interface Answered {
  readonly request: FastifyRequest;
  readonly incoming: IncomingRequest;
  readonly client: ClientResponse;
  readonly failureOf: (error: unknown) => CallFailure;
}

/** Runs a route and sends its result or error. Never throws. */
async function answer(
  { request, incoming, client, failureOf }: Answered,
  handle: () => ReturnType<Handler>,
): Promise<void> {
  try {
    checkTarget(incoming);
    const said = await handle();
    if (said) client.send(200, { 'content-type': 'application/json' }, JSON.stringify(said));
  } catch (error) {
    const isExpected = error instanceof UpstreamError || (isAppError(error) && error.code !== 'INTERNAL_ERROR');
    if (!isExpected) request.log.error({ err: error }, 'video call failed');
    sendFailure(client, failureOf(error), incoming.requestId, openAIErrors);
  }
}
