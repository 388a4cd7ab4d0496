import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { incomingTask, jsonType, pathPart, sendAccessFailure, withRawBodies } from '../incoming-task.js';
import { SunoError } from './suno-error.js';
import type { SunoRoutesDeps } from '../task-routes-deps.js';

const busy = 'The upstream of this group is saturated, try again later';

/** `/suno` (docs/reference/relay/tasks.md#suno). */
export const sunoRoutes = ({ suno, maxBodyBytes }: SunoRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    app.post(
      '/suno/submit/:action',
      withFailures((request) => suno.submit(pathPart(request, 'action'), incomingTask(request, maxBodyBytes))),
    );
    app.post(
      '/suno/fetch',
      withFailures(async (request) => success(await suno.many(incomingTask(request, maxBodyBytes)))),
    );
    app.get(
      '/suno/fetch/:id',
      withFailures(async (request) =>
        success(await suno.one(incomingTask(request, maxBodyBytes), pathPart(request, 'id'))),
      ),
    );
  });

const success = (data: unknown): Record<string, unknown> => ({ code: 'success', message: '', data });

/** Sends failures: of a task in the shape of the proxies, of the key in the shape of the relay. */
const withFailures =
  (handler: (request: FastifyRequest) => Promise<Record<string, unknown>>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      return await reply.type(jsonType).send(await handler(request));
    } catch (error) {
      if (!(error instanceof SunoError)) return sendAccessFailure(error, request, reply);
      if (error.cause !== undefined) request.log.warn({ err: error.cause }, 'task submission failed');
      const message = `${error.status === 429 ? busy : error.message} (request id: ${request.id})`;
      return reply.status(error.status).type(jsonType).send({ code: error.code, message, data: null });
    }
  };
