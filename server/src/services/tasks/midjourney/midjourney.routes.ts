import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
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
import { addRelayRoutes, relayRoute, type RelayRoute } from '../../relay-route.js';
import { anything, list, open, text, whole } from '../../relay-shapes.js';
import { DrawingError, toWire } from './drawing-error.js';
import type { SubmitPath } from './drawing-submission.js';
import type { MidjourneyRoutesDeps } from '../task-routes-deps.js';

/** Maximum bytes of a callback: it contains one task and is sent without a key. */
const notifyBytes = 1024 * 1024;

type Handler = (deps: MidjourneyRoutesDeps, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Sends failures: of a drawing in the shape of the proxies, of the key in the shape of the relay. */
const withFailures =
  (handler: Handler): Handler =>
  async (deps, request, reply) => {
    try {
      return await handler(deps, request, reply);
    } catch (error) {
      if (!(error instanceof DrawingError)) return sendAccessFailure(error, request, reply);
      if (error.cause !== undefined) request.log.warn({ err: error.cause }, 'drawing submission failed');
      const { status, body } = toWire(error);
      return reply.status(status).type(jsonType).send(body);
    }
  };

const submit = (path: SubmitPath, summary: string, fields: z.ZodRawShape, body: unknown): RelayRoute<Handler> =>
  relayRoute(
    `POST /mj/${path}`,
    withFailures(async ({ submission, maxBodyBytes }, request, reply) => {
      const address = { path, mode: pathPart(request, 'mode') };
      const answer = await submission.submit(address, incomingTask(request, maxBodyBytes));
      return reply.status(answer.status).type(jsonType).send(answer.body);
    }),
    {
      summary,
      description: 'The same path exists under `/mj-fast/mj`, `/mj-relax/mj` and `/mj-turbo/mj`.',
      body: open({}, fields),
      response: open({ code: whole }, { description: text, result: z.union([text, anything]) }),
      example: { body },
    },
  );

const texts = z.array(text);
const prompt = { prompt: text, base64Array: texts, notifyHook: text, state: text };
const base64 = 'data:image/png;base64,iVBORw0KGgo=';
const ofDrawing = { path: { id: text.describe('Id of the drawing') }, example: { path: { id: 'none' } } };

/** The routes under `/mj` (docs/reference/relay/tasks.md#midjourney). */
export const drawingSubmissionRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  submit('submit/imagine', 'Draw', prompt, { prompt: 'a lighthouse' }),
  submit('submit/describe', 'Describe an image', { base64: text }, { base64 }),
  submit('submit/blend', 'Blend images', { base64Array: texts }, { base64Array: [base64, base64] }),
  submit('submit/shorten', 'Shorten a prompt', prompt, { prompt: 'a very tall lighthouse' }),
  submit('submit/modal', 'Answer a window of a task', { taskId: text, prompt: text }, { taskId: 'none' }),
  submit(
    'submit/change',
    'Change a drawing',
    { taskId: text, action: text, index: whole },
    { taskId: 'none', action: 'UPSCALE', index: 1 },
  ),
  submit('submit/simple-change', 'Change a drawing, as text', { content: text }, { content: 'none u1' }),
  submit(
    'submit/action',
    'Press a button of a drawing',
    { taskId: text, customId: text },
    { taskId: 'none', customId: 'MJ::JOB::upsample::1::none' },
  ),
  submit('submit/upload-discord-images', 'Upload images', { base64Array: texts }, { base64Array: [base64] }),
  submit(
    'insight-face/swap',
    'Swap a face',
    { sourceBase64: text, targetBase64: text },
    { sourceBase64: base64, targetBase64: base64 },
  ),
  relayRoute(
    'GET /mj/task/:id/fetch',
    withFailures(async ({ lookup, maxBodyBytes }, request, reply) => {
      const found = await lookup.one(incomingTask(request, maxBodyBytes), pathPart(request, 'id'));
      return reply.type(jsonType).send(found);
    }),
    { summary: 'A drawing', response: anything, ...ofDrawing },
  ),
  relayRoute(
    'GET /mj/task/:id/image-seed',
    withFailures(async ({ lookup, maxBodyBytes }, request, reply) => {
      const { status, body } = await lookup.seed(
        incomingTask(request, maxBodyBytes),
        pathPart(request, 'id'),
        pathPart(request, 'mode'),
      );
      return reply.status(status).type(jsonType).send(body);
    }),
    { summary: 'Seed of a drawing', response: anything, ...ofDrawing },
  ),
  relayRoute(
    'POST /mj/task/list-by-condition',
    withFailures(async ({ lookup, maxBodyBytes }, request, reply) =>
      reply.type(jsonType).send(await lookup.many(incomingTask(request, maxBodyBytes))),
    ),
    { summary: 'Several drawings', body: open({}, { ids: texts }), response: list, example: { body: { ids: [] } } },
  ),
  relayRoute(
    'POST /mj/notify/:channel/:secret',
    withFailures(async ({ lookup }, request, reply) => {
      const channel = /^\d{1,9}$/.test(pathPart(request, 'channel')) ? Number(pathPart(request, 'channel')) : 0;
      await lookup.report(channel, pathPart(request, 'secret'), () => readRequestBody(request.raw, notifyBytes));
      return reply.type(jsonType).send({ code: 1, description: 'success' });
    }),
    {
      summary: "A provider's message about a drawing",
      role: 'anonymous',
      path: { channel: text.describe('Id of the channel'), secret: text.describe('Secret of the channel') },
      body: anything,
      response: anything,
      failure: open({}, { description: text, type: text, code: whole }),
      example: { path: { channel: '1', secret: 'none' }, body: {} },
    },
  ),
  relayRoute('GET /mj/image/:id', sendImage, {
    summary: 'The image of a drawing, by signed link',
    role: 'anonymous',
    path: ofDrawing.path,
    query: { key: text.describe('Signature') },
    media: 'image/png',
    failure: open({}, { error: text }),
    example: { path: { id: 'none' }, query: { key: 'none' } },
  }),
];

/** Serves `/mj`, and the same routes under `/<mode>/mj`. */
export const midjourneyRoutes = (deps: MidjourneyRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    addRelayRoutes(
      app,
      drawingSubmissionRoutes,
      ['/mj', '/:mode/mj'],
      (served) => (request, reply) => served(deps, request, reply),
    );
  });

const imageHeaders = { ...passiveHeaders, 'cache-control': 'private, max-age=3600' };

async function sendImage(
  { lookup }: MidjourneyRoutesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
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
