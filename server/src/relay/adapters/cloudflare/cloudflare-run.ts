import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError, InvalidInputError } from '../../../shared/errors.js';
import type { FormFile, OneShotCapability, OneShotRequest, Target } from '../../adapter.js';
import { asFields, asText, someNumber } from '../../neutral/fields.js';
import { bearer, addressOf } from '../openai-compatible/address.js';
import type { Dialect, EndpointPath } from '../openai-compatible/dialect.js';
import { answerFields, oneShot, othersThan } from '../openai-compatible/one-shot.js';

/** An image as bytes, or as base64 inside JSON: both are converted to OpenAI's shape. */
export function cloudflareImages(dialect: Dialect, place: EndpointPath): OneShotCapability {
  const json = oneShot(dialect, place, {
    body: imageBody,
    dropped: othersThan('prompt', 'size', 'n', 'steps', 'seed', 'negative_prompt', 'response_format'),
  });
  return {
    toUpstreamRequest: (request, target) => json.toUpstreamRequest(request, target),
    fromUpstreamResponse: (answer, _request, { now }) => {
      const encoded = answer.contentType.startsWith('image/')
        ? answer.body.toString('base64')
        : asText(asFields(answerFields(answer)['result'])?.['image']);
      if (encoded === '') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no image');
      const body = { created: Math.floor(now / 1000), data: [{ b64_json: encoded }] };
      return { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)), usage: null };
    },
  };
}

/** @throws InvalidInputError naming an unsupported field */
function imageBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { prompt, size, n, steps, seed, negative_prompt: avoided } = body;
  if ((someNumber(n) ?? 1) > 1)
    throw new InvalidInputError('n must be 1: the provider generates one image per call', 'n');
  const [width, height] = asText(size).split('x').map(Number);
  return omitUndefined({
    prompt,
    negative_prompt: avoided,
    width: width || undefined,
    height: height || undefined,
    steps,
    seed,
  });
}

/** Newer models accept base64 inside JSON, the others the audio bytes. */
const takesJson = /whisper-large-v3-turbo/;

export function cloudflareTranscription(dialect: Dialect, place: EndpointPath): OneShotCapability {
  return {
    toUpstreamRequest(request, target) {
      const file = fileOf(request);
      const json = takesJson.test(target.upstreamModel);
      const { language, prompt } = request.body;
      return {
        method: 'POST',
        url: addressOf(place, request, target),
        headers: { 'content-type': json ? 'application/json' : 'application/octet-stream', ...bearer(target) },
        body: json
          ? JSON.stringify(omitUndefined({ audio: file.bytes.toString('base64'), language, initial_prompt: prompt }))
          : file.bytes,
      };
    },
    fromUpstreamResponse(answer, request: OneShotRequest, _target: Target) {
      const text = asText(asFields(answerFields(answer)['result'])?.['text']);
      const plain = request.body['response_format'] === 'text';
      return {
        contentType: plain ? 'text/plain; charset=utf-8' : 'application/json',
        body: Buffer.from(plain ? text : JSON.stringify({ text })),
        usage: null,
      };
    },
  };
}

/** @throws InvalidInputError when the form contains no file */
function fileOf({ form }: OneShotRequest): FormFile {
  for (const { name, value } of form ?? []) if (name === 'file' && typeof value !== 'string') return value;
  throw new InvalidInputError('file is required', 'file');
}
