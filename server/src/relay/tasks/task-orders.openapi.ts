import type { ApiOperation, ApiParameter, ApiSection, JsonSchema } from '../../http/openapi/operation.js';
import { anything, list, object, oneOf, text, whole } from '../openapi-shapes.js';

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

/** Orders of drawings and music. */
export const orderSection: ApiSection = {
  name: 'Drawings and music, orders',
  description: 'Called with an API key. A task is ordered, polled and, if it fails, refunded.',
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
      summary: 'The picture of a drawing, by signed link',
      role: 'anonymous',
      path: { id: drawingTask },
      query: { key: { type: 'string', description: 'Signature', required: true } },
      media: 'image/png',
      failure: object({ error: text }),
      example: { path: { id: 'none' }, query: { key: 'none' } },
    },
    'POST /suno/submit/:action': {
      summary: 'Order music or lyrics',
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
