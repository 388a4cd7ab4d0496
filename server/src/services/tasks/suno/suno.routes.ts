import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { incomingTask, jsonType, pathPart, sendAccessFailure, withRawBodies } from '../incoming-task.js';
import { addRelayRoutes, relayRoute, type RelayRoute } from '../../relay-route.js';
import { anything, list, open, text } from '../../relay-shapes.js';
import { SunoError } from './suno-error.js';
import type { SunoRoutesDeps } from '../task-routes-deps.js';

const busy = 'The upstream of this group is saturated, try again later';

type Handler = (deps: SunoRoutesDeps, request: FastifyRequest) => Promise<Record<string, unknown>>;

const answer = <Data extends z.ZodType>(data: Data) => open({}, { code: text, message: text, data: data.nullable() });

/** The routes under `/suno` (docs/reference/relay/tasks.md#suno). */
export const musicSubmissionRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  relayRoute(
    'POST /suno/submit/:action',
    ({ suno, maxBodyBytes }, request) => suno.submit(pathPart(request, 'action'), incomingTask(request, maxBodyBytes)),
    {
      summary: 'Submit music or lyrics',
      path: { action: z.enum(['MUSIC', 'LYRICS']).describe('Action') },
      body: open({}, { prompt: text, mv: text, title: text, tags: text }),
      response: answer(text),
      example: { path: { action: 'MUSIC' }, body: { prompt: 'a song about the sea' } },
    },
  ),
  relayRoute(
    'POST /suno/fetch',
    async ({ suno, maxBodyBytes }, request) => success(await suno.many(incomingTask(request, maxBodyBytes))),
    {
      summary: 'Several music tasks',
      body: open({}, { ids: z.array(text) }),
      response: answer(list),
      example: { body: { ids: [] } },
    },
  ),
  relayRoute(
    'GET /suno/fetch/:id',
    async ({ suno, maxBodyBytes }, request) =>
      success(await suno.one(incomingTask(request, maxBodyBytes), pathPart(request, 'id'))),
    {
      summary: 'A music task',
      path: { id: text.describe('Id of the task') },
      response: answer(anything),
      example: { path: { id: 'none' } },
    },
  ),
];

/** `/suno`. */
export const sunoRoutes = (deps: SunoRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    addRelayRoutes(app, musicSubmissionRoutes, ['/suno'], (served) => withFailures((request) => served(deps, request)));
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
