import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isAppError } from '../../../shared/errors.js';
import { readRequestBody } from '../../../gateway/incoming-request.js';
import {
  incomingTask,
  jsonType,
  passiveHeaders,
  pathPart,
  sendAccessFailure,
  withRawBodies,
} from '../incoming-task.js';
import { DrawingError, toWire } from './drawing-error.js';
import type { DrawingLookup } from './drawing-lookup.js';
import { submitPaths, type SubmitPath } from './order.js';
import type { MidjourneyRoutesDeps } from '../task-routes-deps.js';

/** Maximum bytes of a callback: it contains one task and is sent without a key. */
const notifyBytes = 1024 * 1024;

/** `/mj`, and the same under `/<mode>/mj` (docs/reference/relay/tasks.md#midjourney). */
export const midjourneyRoutes = (deps: MidjourneyRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    for (const prefix of ['/mj', '/:mode/mj']) addRoutes(app, prefix, deps);
  });

function addRoutes(app: FastifyInstance, prefix: string, deps: MidjourneyRoutesDeps): void {
  const { submission, lookup, maxBodyBytes } = deps;
  for (const path of Object.keys(submitPaths) as SubmitPath[]) {
    app.post(
      `${prefix}/${path}`,
      withFailures(async (request, reply) => {
        const { status, body } = await submission.submit(path, incomingTask(request, maxBodyBytes));
        return reply.status(status).type(jsonType).send(body);
      }),
    );
  }
  app.get(
    `${prefix}/task/:id/fetch`,
    withFailures(async (request, reply) => {
      const found = await lookup.one(incomingTask(request, maxBodyBytes), pathPart(request, 'id'));
      return reply.type(jsonType).send(found);
    }),
  );
  app.get(
    `${prefix}/task/:id/image-seed`,
    withFailures(async (request, reply) => {
      const { status, body } = await lookup.seed(incomingTask(request, maxBodyBytes), pathPart(request, 'id'));
      return reply.status(status).type(jsonType).send(body);
    }),
  );
  app.post(
    `${prefix}/task/list-by-condition`,
    withFailures(async (request, reply) =>
      reply.type(jsonType).send(await lookup.many(incomingTask(request, maxBodyBytes))),
    ),
  );
  app.post(
    `${prefix}/notify/:channel/:secret`,
    withFailures(async (request, reply) => {
      const channel = /^\d{1,9}$/.test(pathPart(request, 'channel')) ? Number(pathPart(request, 'channel')) : 0;
      await lookup.report(channel, pathPart(request, 'secret'), () => readRequestBody(request.raw, notifyBytes));
      return reply.type(jsonType).send({ code: 1, description: 'success' });
    }),
  );
  app.get(`${prefix}/image/:id`, (request, reply) => sendImage(lookup, request, reply));
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Sends failures: of a drawing in the shape of the proxies, of the key in the shape of the relay. */
const withFailures =
  (handler: Handler): Handler =>
  async (request, reply) => {
    try {
      return await handler(request, reply);
    } catch (error) {
      if (!(error instanceof DrawingError)) return sendAccessFailure(error, request, reply);
      if (error.cause !== undefined) request.log.warn({ err: error.cause }, 'drawing submission failed');
      const { status, body } = toWire(error);
      return reply.status(status).type(jsonType).send(body);
    }
  };

const imageHeaders = { ...passiveHeaders, 'cache-control': 'private, max-age=3600' };

async function sendImage(lookup: DrawingLookup, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { key } = request.query as { key?: unknown };
  try {
    const image = await lookup.image(pathPart(request, 'id'), typeof key === 'string' ? key : '');
    if ('error' in image) return await reply.status(image.status).send({ error: image.error });
    return await reply.headers(imageHeaders).type(image.type).send(image.body);
  } catch (error) {
    if (!isAppError(error)) request.log.error({ err: error }, 'image request failed');
    return reply.status(500).send({ error: 'http_get_image_failed' });
  }
}
