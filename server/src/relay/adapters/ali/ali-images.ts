import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { OneShotCapability, Target, UpstreamRequest } from '../../adapter.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asFieldsList, asText, someNumber, someText, type Fields } from '../../neutral/fields.js';
import type { Dialect } from '../openai-compatible/dialect.js';
import { bearer, addressOf } from '../openai-compatible/address.js';
import { answerFields, oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { aliError, refuseError } from './ali-error.js';

const place = '/api/v1/services/aigc/text2image/image-synthesis';
const everyMilliseconds = 3000;

/**
 * Pictures are drawn in the background: the first answer is a task, which is asked for until it is done
 * (docs/reference/providers/own-protocols.md#alibaba). How often, and how long, is the relay's to say.
 */
export const aliImages = (dialect: Dialect): OneShotCapability =>
  oneShot(dialect, place, {
    headers: { 'x-dashscope-async': 'enable' },
    body: imageBody,
    dropped: droppedOf,
    next: (answer, target) => {
      const { output } = refuseError(answerFields(answer));
      const task = asFields(output);
      switch (task?.['task_status']) {
        case 'PENDING':
        case 'RUNNING':
        case 'SUSPENDED':
          return {
            request: taskRequest(dialect, asText(task['task_id']), target),
            afterMilliseconds: everyMilliseconds,
          };
        case 'SUCCEEDED':
          return null;
        default:
          throw task ? aliError(task) : aliError({});
      }
    },
    answer: toImages,
  });

const known = othersThan(
  'prompt',
  'negative_prompt',
  'size',
  'n',
  'steps',
  'scale',
  'seed',
  'style',
  'response_format',
);

/** Pictures come as addresses, whatever was asked for. */
const droppedOf = (body: Readonly<Record<string, unknown>>): string[] => [
  ...known(body),
  ...(body['response_format'] === 'b64_json' ? ['response_format'] : []),
];

function imageBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { model, prompt, negative_prompt: avoided, size, n, steps, scale, seed, style } = body;
  return {
    model,
    input: omitUndefined({ prompt, negative_prompt: avoided }),
    parameters: omitUndefined({ size: someText(size)?.replace('x', '*'), n: someNumber(n), steps, scale, seed, style }),
  };
}

function taskRequest(dialect: Dialect, id: string, target: Target): UpstreamRequest {
  if (id === '') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The provider did not name its task');
  return {
    method: 'GET',
    url: addressOf(`/api/v1/tasks/${encodeURIComponent(id)}`, { path: '' }, target),
    headers: bearer(target),
    body: null,
  };
}

/** @throws UpstreamError when not one picture came out */
function toImages(answer: Fields, _request: unknown, target: Target): Record<string, unknown> {
  const results = asFieldsList(asFields(answer['output'])?.['results']);
  const data = results.flatMap((result) => {
    const [url, encoded] = [someText(result['url']), someText(result['b64_image'])];
    return url === undefined && encoded === undefined ? [] : [omitUndefined({ url, b64_json: encoded })];
  });
  if (data.length === 0) throw results[0] ? aliError(results[0]) : noPicture();
  return { created: Math.floor(target.now / 1000), data };
}

const noPicture = (): UpstreamError =>
  new UpstreamError(502, { message: 'The provider drew no picture', type: 'ali_error', code: 'no_images' });
