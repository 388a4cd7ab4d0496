import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Adapter, OneShotCapability } from '../../contract.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFieldsList, asText, parseFields, someNumber } from '../../neutral/fields.js';
import { needAudio, only, oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { familyRules, openAICompatible } from '../openai-compatible/openai-compatible.js';
import { unixSecond } from '../../../shared/clock.js';

const places = ['prompt', 'negative_prompt', 'seed', 'guidance_scale', 'cfg', 'image', 'image2', 'image3'] as const;
const drawn = only(...places);
const counts = ['n', 'num_images', 'batch_size'] as const;

/** Size and number of images have other names. Images are always returned as URLs. */
const images = oneShot({}, '/v1/images/generations', {
  onlyWhole: true,
  body(body, target) {
    const asked = counts.flatMap((name) => someNumber(body[name]) ?? []);
    return omitUndefined({
      ...drawn.body(body, target),
      image_size: body['image_size'] ?? body['size'],
      batch_size: asked.length > 0 ? Math.max(...asked) : undefined,
    });
  },
  dropped: othersThan(...places, ...counts, 'size', 'image_size'),
  answer(answer, _request, { now }) {
    const data = asFieldsList(answer['images'] ?? answer['data']).map(({ url }) => ({ url }));
    if (data.length === 0) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no image');
    return { created: unixSecond(now), data };
  },
});

const speechFields = only('input', 'voice', 'response_format', 'sample_rate', 'stream', 'speed', 'gain', 'references');

const speech = oneShot({}, '/v1/audio/speech', {
  ...familyRules.speech,
  ...speechFields,
  body(body, target) {
    needAudio(body);
    return speechFields.body(body, target);
  },
});

const heard = oneShot({}, '/v1/audio/transcriptions', {
  ...familyRules.transcription,
  onlyWhole: true,
  dropped: othersThan('file', 'response_format', 'stream'),
});

/** Takes a recording and nothing else, and returns its text in JSON. */
const transcription: OneShotCapability = {
  ...heard,
  toUpstreamRequest(request, target) {
    const format = asText(request.body['response_format']) || 'json';
    if (format !== 'json' && format !== 'text') throw unsupported('response_format', 'it writes json and text');
    const form = (request.form ?? []).filter(({ name }) => name === 'model' || name === 'file');
    return heard.toUpstreamRequest({ ...request, form }, target);
  },
  fromUpstreamResponse(answer, request, target) {
    const read = heard.fromUpstreamResponse(answer, request, target);
    if (request.body['response_format'] !== 'text') return read;
    const text = asText(parseFields(read.body.toString('utf8'))?.['text']);
    return { ...read, contentType: 'text/plain; charset=utf-8', body: Buffer.from(text) };
  },
};

/** Type 40 (docs/reference/providers/openai-family.md#single-members). */
export const siliconFlow: Adapter = {
  ...openAICompatible({ capabilities: { completions: true, embeddings: true, rerank: true } }),
  images,
  speech,
  transcription,
};
