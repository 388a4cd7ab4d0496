import type { FastifyPluginAsync, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { z } from 'zod';
import { isAppError } from '../../../shared/errors.js';
import type { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { checkTarget, hijack, type Hijacked } from '../../../gateway/incoming-request.js';
import { sendFailure } from '../../../gateway/deliver/send-failure.js';
import { openAIErrors } from '../../chat/chat-endpoints.js';
import { prefixes } from '../../endpoints.js';
import { addRelayRoutes, relayRoute, type RelayRoute } from '../../relay-route.js';
import { anything, flag, open, text, whole } from '../../relay-shapes.js';
import type { CallFailure } from '../../../dialects/errors/failure.js';
import { UpstreamError } from '../../../dialects/errors/upstream-error.js';
import { pathPart, withRawBodies } from '../incoming-task.js';
import type { VideoRoutesDeps } from '../task-routes-deps.js';
import { videoShape } from './video-shape.js';

type Handler = (
  deps: VideoRoutesDeps,
  call: Hijacked,
  id: string,
  request: FastifyRequest,
) => Promise<Record<string, unknown> | null>;

const ofVideo = {
  path: { id: text.describe('Id of the video') },
  errors: ['NOT_FOUND'],
  example: { path: { id: 'none' } },
} as const;

/** OpenAI's videos API (docs/reference/relay/tasks.md#videos). */
export const videoSubmissionRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  relayRoute('POST /v1/videos', ({ videos }, { incoming, client }) => videos.create(incoming, client), {
    summary: 'Submit a video',
    description:
      'A form with a file `input_reference`, or JSON. `resolution` and `aspect_ratio` are accepted beside the fields of OpenAI.',
    body: open(
      { prompt: text },
      {
        model: text,
        seconds: z.union([text, whole]),
        size: text,
        resolution: text,
        aspect_ratio: text,
        input_reference: open({}, { image_url: text, file_id: text }),
      },
    ),
    response: videoShape,
    errors: ['MODEL_NOT_PRICED', 'UNSUPPORTED_BY_CHANNEL'],
    example: { body: { model: 'sora-2', prompt: 'a lighthouse', seconds: '4', size: '1280x720' } },
  }),
  relayRoute('GET /v1/videos', ({ videos }, { incoming }) => videos.list(incoming), {
    summary: 'Own videos, newest first',
    query: {
      limit: whole.optional().describe('At most 100, by default 20'),
      after: text.optional().describe('Id of the video before the page'),
      order: z.enum(['asc', 'desc']).optional().describe('By time'),
    },
    response: open({}, { object: text, data: z.array(videoShape), has_more: flag }),
    example: {},
  }),
  relayRoute('GET /v1/videos/:id', ({ videos }, { incoming }, id) => videos.one(incoming, id), {
    summary: 'A video',
    response: videoShape,
    ...ofVideo,
  }),
  relayRoute('DELETE /v1/videos/:id', ({ videos }, { incoming }, id) => videos.remove(incoming, id), {
    summary: 'Delete a completed or failed video',
    response: open({}, { id: text, object: text, deleted: flag }),
    ...ofVideo,
  }),
  relayRoute(
    'GET /v1/videos/:id/content',
    ({ content }, { incoming, client }, id) => content.send(incoming, id, client),
    {
      summary: 'The bytes of a completed video',
      // HEAD would read the whole video from the provider.
      withoutHead: true,
      query: { variant: z.enum(['video', 'thumbnail', 'spritesheet']).optional().describe('Kind of bytes') },
      media: 'video/mp4',
      ...ofVideo,
    },
  ),
  relayRoute('POST /v1/videos/:id/remix', ({ videos }, { incoming }, id) => videos.remix(incoming, id), {
    summary: 'A video that is made from another one',
    body: open({ prompt: text }, {}),
    response: videoShape,
    ...ofVideo,
    example: { ...ofVideo.example, body: { prompt: 'at night' } },
  }),
];

const olderVideo = open(
  { task_id: text, status: text },
  { url: text, format: text, progress: whole, metadata: anything, error: anything },
);

/** Videos as older gateways have them (docs/reference/relay/tasks.md#the-older-path-of-videos). */
export const olderVideoRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  relayRoute('POST /v1/video/generations', ({ older }, { incoming, client }) => older.create(incoming, client), {
    summary: 'Submit a video, in the form of older gateways',
    body: open(
      { prompt: text },
      { model: text, image: text, duration: whole, width: whole, height: whole, metadata: anything },
    ),
    response: olderVideo,
    errors: ['MODEL_NOT_PRICED', 'UNSUPPORTED_BY_CHANNEL'],
    example: { body: { model: 'sora-2', prompt: 'a lighthouse', duration: 4, width: 1280, height: 720 } },
  }),
  relayRoute(
    'GET /v1/video/generations/:id',
    ({ older }, { incoming }, id, { protocol, host, server }) =>
      older.one(incoming, id, `${protocol}://${host}${server.basePath}`),
    { summary: 'A video, in the form of older gateways', response: olderVideo, ...ofVideo },
  ),
];

const klingTask = open(
  { code: whole, message: text, request_id: text, data: open({ task_id: text, task_status: text }, {}) },
  { task_id: text, status: text },
);
const klingFields = {
  model_name: text,
  negative_prompt: text,
  mode: z.enum(['std', 'pro', '4k']),
  duration: z.union([text, whole]),
  sound: z.enum(['on', 'off']),
};
const ofKling = {
  response: klingTask,
  errors: ['MODEL_NOT_PRICED', 'UNSUPPORTED_BY_CHANNEL'],
} as const;

const klingTaskOf: Handler = ({ kling }, { incoming }, id, { protocol, host, server }) =>
  kling.one(incoming, id, `${protocol}://${host}${server.basePath}`);

/** Videos as clients of Kling submit them (docs/reference/relay/tasks.md#the-paths-of-kling). */
export const klingRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  relayRoute(
    'POST /kling/v1/videos/text2video',
    ({ kling }, { incoming, client }) => kling.create(incoming, client, 'text2video'),
    {
      ...ofKling,
      summary: 'Submit a video, in the form of Kling',
      body: open({ prompt: text }, { ...klingFields, aspect_ratio: text }),
      example: { body: { model_name: 'kling-v3', prompt: 'a lighthouse', duration: '5', mode: 'std' } },
    },
  ),
  relayRoute(
    'POST /kling/v1/videos/image2video',
    ({ kling }, { incoming, client }) => kling.create(incoming, client, 'image2video'),
    {
      ...ofKling,
      summary: 'Submit a video that begins with an image, in the form of Kling',
      body: open({ prompt: text, image: text }, klingFields),
      example: { body: { model_name: 'kling-v3', prompt: 'a lighthouse', image: 'https://images.example/first.png' } },
    },
  ),
  ...(['text2video', 'image2video'] as const).map((kind) =>
    relayRoute(`GET /kling/v1/videos/${kind}/:id`, klingTaskOf, {
      summary: 'A video, in the form of Kling',
      response: klingTask,
      ...ofVideo,
    }),
  ),
];

/** `/v1/videos`, their older path, and the paths of Kling. */
export const videoRoutes = (deps: VideoRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    const handlerOf =
      (served: Handler): RouteHandlerMethod =>
      (request, reply) => {
        const call = hijack(request, reply, deps.maxBodyBytes);
        const failureOf = (error: unknown): CallFailure => deps.videos.failureOf(error);
        void answer({ request, ...call, failureOf }, () => served(deps, call, pathPart(request, 'id'), request));
      };
    addRelayRoutes(app, [...videoSubmissionRoutes, ...olderVideoRoutes], prefixes, handlerOf);
    addRelayRoutes(app, klingRoutes, ['/kling'], handlerOf);
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
