import type { ApiOperation, ApiParameter, ApiSection, JsonSchema } from '../../platform/http/openapi/operation.js';
import { anything, flag, list, object, oneOf, text, whole } from '../openapi-shapes.js';

const key = 'key' as const;
const drawingTask: ApiParameter = { type: 'string', description: 'Id of the drawing' };
const drawing = (summary: string, body: JsonSchema, example: unknown): ApiOperation => ({
  summary,
  description: 'The same path exists under `/mj-fast/mj`, `/mj-relax/mj` and `/mj-turbo/mj`.',
  role: key,
  body,
  response: object({ code: whole, description: text, result: oneOf(text, anything) }, ['code']),
  example: { body: example },
});
const prompt = object({ prompt: text, base64Array: list(text), notifyHook: text, state: text });
const base64 = 'data:image/png;base64,iVBORw0KGgo=';

/** Submission of drawings and music, and their results. */
export const submissionSection: ApiSection = {
  name: 'Drawings and music, submission',
  description: 'Called with an API key. A task is submitted, polled and, if it fails, refunded.',
  operations: {
    'POST /mj/submit/imagine': drawing('Draw', prompt, { prompt: 'a lighthouse' }),
    'POST /mj/submit/describe': drawing('Describe an image', object({ base64: text }), { base64 }),
    'POST /mj/submit/blend': drawing('Blend images', object({ base64Array: list(text) }), {
      base64Array: [base64, base64],
    }),
    'POST /mj/submit/shorten': drawing('Shorten a prompt', prompt, { prompt: 'a very tall lighthouse' }),
    'POST /mj/submit/modal': drawing('Answer a window of a task', object({ taskId: text, prompt: text }), {
      taskId: 'none',
    }),
    'POST /mj/submit/change': drawing('Change a drawing', object({ taskId: text, action: text, index: whole }), {
      taskId: 'none',
      action: 'UPSCALE',
      index: 1,
    }),
    'POST /mj/submit/simple-change': drawing('Change a drawing, as text', object({ content: text }), {
      content: 'none u1',
    }),
    'POST /mj/submit/action': drawing('Press a button of a drawing', object({ taskId: text, customId: text }), {
      taskId: 'none',
      customId: 'MJ::JOB::upsample::1::none',
    }),
    'POST /mj/submit/upload-discord-images': drawing('Upload images', object({ base64Array: list(text) }), {
      base64Array: [base64],
    }),
    'POST /mj/insight-face/swap': drawing('Swap a face', object({ sourceBase64: text, targetBase64: text }), {
      sourceBase64: base64,
      targetBase64: base64,
    }),
    'GET /mj/task/:id/fetch': {
      summary: 'A drawing',
      role: key,
      path: { id: drawingTask },
      response: anything,
      example: { path: { id: 'none' } },
    },
    'GET /mj/task/:id/image-seed': {
      summary: 'Seed of a drawing',
      role: key,
      path: { id: drawingTask },
      response: anything,
      example: { path: { id: 'none' } },
    },
    'POST /mj/task/list-by-condition': {
      summary: 'Several drawings',
      role: key,
      body: object({ ids: list(text) }),
      response: list(anything),
      example: { body: { ids: [] } },
    },
    'POST /mj/notify/:channel/:secret': {
      summary: "A provider's message about a drawing",
      role: 'anonymous',
      path: {
        channel: { type: 'string', description: 'Id of the channel' },
        secret: { type: 'string', description: 'Secret of the channel' },
      },
      body: anything,
      response: anything,
      failure: object({ description: text, type: text, code: whole }),
      example: { path: { channel: '1', secret: 'none' }, body: {} },
    },
    'GET /mj/image/:id': {
      summary: 'The image of a drawing, by signed link',
      role: 'anonymous',
      path: { id: drawingTask },
      query: { key: { type: 'string', description: 'Signature', required: true } },
      media: 'image/png',
      failure: object({ error: text }),
      example: { path: { id: 'none' }, query: { key: 'none' } },
    },
    'POST /suno/submit/:action': {
      summary: 'Submit music or lyrics',
      role: key,
      path: { action: { type: 'string', description: 'Action', values: ['MUSIC', 'LYRICS'] } },
      body: object({ prompt: text, mv: text, title: text, tags: text }),
      response: object({ code: text, message: text, data: oneOf(text, { type: 'null' }) }),
      example: { path: { action: 'MUSIC' }, body: { prompt: 'a song about the sea' } },
    },
    'POST /suno/fetch': {
      summary: 'Several music tasks',
      role: key,
      body: object({ ids: list(text) }),
      response: object({ code: text, message: text, data: oneOf(list(anything), { type: 'null' }) }),
      example: { body: { ids: [] } },
    },
    'GET /suno/fetch/:id': {
      summary: 'A music task',
      role: key,
      path: { id: { type: 'string', description: 'Id of the task' } },
      response: object({ code: text, message: text, data: oneOf(anything, { type: 'null' }) }),
      example: { path: { id: 'none' } },
    },
  },
};

const videoId = { id: { type: 'string', description: 'Id of the video' } } as const;
const unknownVideo = { path: { id: 'none' } } as const;
const nothing = { type: 'null' } as const;
const video = object({
  id: text,
  object: text,
  model: text,
  status: text,
  progress: whole,
  created_at: whole,
  completed_at: oneOf(whole, nothing),
  expires_at: nothing,
  seconds: text,
  size: text,
  prompt: oneOf(text, nothing),
  remixed_from_video_id: oneOf(text, nothing),
  error: oneOf(object({ code: text, message: text }), nothing),
});

/** OpenAI's videos API. */
export const videoSection: ApiSection = {
  name: 'Videos',
  description:
    "OpenAI's videos API, in front of every provider of videos. Called with an API key. A video is submitted, followed, read and, if it fails, refunded.",
  operations: {
    'POST /v1/videos': {
      summary: 'Submit a video',
      description:
        'A form with a file `input_reference`, or JSON. `resolution` and `aspect_ratio` are accepted beside the fields of OpenAI.',
      role: key,
      body: object(
        {
          model: text,
          prompt: text,
          seconds: oneOf(text, whole),
          size: text,
          resolution: text,
          aspect_ratio: text,
          input_reference: object({ image_url: text, file_id: text }),
        },
        ['prompt'],
      ),
      response: video,
      errors: ['MODEL_NOT_PRICED', 'UNSUPPORTED_BY_CHANNEL'],
      example: {
        body: { model: 'sora-2', prompt: 'a lighthouse', seconds: '4', size: '1280x720' },
      },
    },
    'GET /v1/videos': {
      summary: 'Own videos, newest first',
      role: key,
      query: {
        limit: { type: 'integer', description: 'At most 100, by default 20' },
        after: { type: 'string', description: 'Id of the video before the page' },
        order: { type: 'string', description: 'By time', values: ['asc', 'desc'] },
      },
      response: object({ object: text, data: list(video), has_more: flag }),
      example: {},
    },
    'GET /v1/videos/:id': {
      summary: 'A video',
      role: key,
      path: videoId,
      response: video,
      errors: ['NOT_FOUND'],
      example: unknownVideo,
    },
    'DELETE /v1/videos/:id': {
      summary: 'Delete a completed or failed video',
      role: key,
      path: videoId,
      response: object({ id: text, object: text, deleted: flag }),
      errors: ['NOT_FOUND'],
      example: unknownVideo,
    },
    'GET /v1/videos/:id/content': {
      summary: 'The bytes of a completed video',
      role: key,
      path: videoId,
      query: {
        variant: { type: 'string', description: 'Kind of bytes', values: ['video', 'thumbnail', 'spritesheet'] },
      },
      media: 'video/mp4',
      errors: ['NOT_FOUND'],
      example: unknownVideo,
    },
    'POST /v1/videos/:id/remix': {
      summary: 'A video that is made from another one',
      role: key,
      path: videoId,
      body: object({ prompt: text }, ['prompt']),
      response: video,
      errors: ['NOT_FOUND'],
      example: { ...unknownVideo, body: { prompt: 'at night' } },
    },
  },
};
