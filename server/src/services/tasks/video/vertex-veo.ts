import { modelUrl, operationOf, projectOf } from '../../../dialects/makers/vertex/place.js';
import { asFields, asFieldsList, asList, asText, type Fields } from '../../../dialects/neutral/fields.js';
import { AppError } from '../../../shared/errors.js';
import { text } from '../field.js';
import type { TaskTarget } from '../task-target.js';
import { nameOf, type VideoDialect, type VideoRequest } from './video-dialect.js';
import { veo } from './veo.js';

/**
 * Veo of Vertex AI (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation, November
 * 2026). Its operation contains the video itself, because no bucket is named.
 */
export const vertexVeo: VideoDialect = {
  takes: veo.takes,
  terms: (submission, model) => veo.terms(submission, model),
  toRequest(submission, terms, model, target) {
    const { key, channel } = target;
    if (projectOf(target) === null)
      throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Videos of Vertex AI require a service account, not an API key');
    const body = veo.toRequest(submission, terms, model, target).body as Fields;
    const place = { key, other: channel.other, requestedModel: submission.model };
    return {
      method: 'POST',
      path: modelUrl(place, 'google', model, 'predictLongRunning'),
      headers: {},
      body: { ...body, parameters: { ...asFields(body['parameters']), generateAudio: true } },
    };
  },
  // The project is a part of the key, and no name is stored with it.
  nameIn: (answer) => nameOf(answer['name']).replace(/^projects\/[^/]+\//, ''),
  lookup: (name, target) => ({ ...lookup(name, target), hasLongTexts: true }),
  report(answer) {
    if (answer['done'] !== true) return { state: 'running' };
    const error = asFields(answer['error']);
    if (error) return { state: 'failed', reason: text(error['message']) };
    const made = asFields(answer['response']) ?? {};
    if (asFieldsList(made['videos']).some((video) => field in video)) return { state: 'done' };
    const filtered = asList(made['raiMediaFilteredReasons']).map(asText).filter(Boolean);
    return { state: 'failed', reason: filtered.join(' ') || 'the provider made no video' };
  },
  source: () => null,
  inline: (name, target) => ({ request: lookup(name, target), field }),
};

const field = 'bytesBase64Encoded';

/** @throws AppError UPSTREAM_INVALID_RESPONSE for a name that is none of Vertex AI */
function lookup(name: string, { key }: TaskTarget): VideoRequest {
  const operation = operationOf(name, { key });
  if (!operation) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream returned no operation of Vertex AI');
  return { method: 'POST', path: operation.url, headers: {}, body: { operationName: operation.name } };
}
