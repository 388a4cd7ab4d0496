import { AppError } from '../../../shared/errors.js';
import type { OneShotCapability, OneShotRequest, UpstreamRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, asText, parseJson, someText, type Fields } from '../../neutral/fields.js';
import { overriddenBody, setsField } from '../../overrides/body-override.js';
import { readBlocked, readGeminiError } from '../../languages/gemini/error.js';
import { toGeminiUsage } from '../../languages/gemini/gemini-usage.js';
import { geminiHeaders, geminiUrl } from './url.js';
import { unixSecond } from '../../../shared/clock.js';

/** Sizes of OpenAI's models as Google's aspect ratios. */
const ratios: Readonly<Record<string, string>> = {
  '1024x1792': '9:16',
  '1792x1024': '16:9',
  '1024x1536': '2:3',
  '1536x1024': '3:2',
};

const drawsAlone = (model: string): boolean => model.startsWith('imagen');
const known = new Set(['model', 'prompt', 'n', 'size', 'response_format']);

/**
 * Images in OpenAI's shape: by Imagen, or by a chat model that generates images
 * (docs/reference/providers/gemini-and-vertex.md#embeddings-and-images).
 */
export const images: OneShotCapability = {
  toUpstreamRequest(request, target) {
    const { url, body } = drawsAlone(target.upstreamModel) ? imagen(request, target) : drawing(request, target);
    const dropped = Object.keys(request.body).filter((name) => !known.has(name) && !setsField(target, name));
    const upstream: UpstreamRequest = {
      method: 'POST',
      url,
      headers: geminiHeaders(target, false),
      body: JSON.stringify(overriddenBody(body, target)),
    };
    return dropped.length > 0 ? { ...upstream, dropped } : upstream;
  },
  fromUpstreamResponse({ body }, _request, target) {
    const answer = asFields(parseJson(body.toString('utf8')));
    if (!answer) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no image');
    const error = readGeminiError(answer) ?? readBlocked(answer);
    if (error) throw error;
    const data = drawsAlone(target.upstreamModel) ? predicted(answer) : drawn(answer);
    if (data.length === 0) {
      throw new UpstreamError(400, {
        message: 'No image was generated',
        type: 'invalid_request_error',
        code: 'no_images',
      });
    }
    return {
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify({ created: unixSecond(target.now), data })),
      usage: usageOf(answer, data.length),
      details: { images: data.length },
    };
  },
};

interface Order {
  readonly url: string;
  readonly body: Record<string, unknown>;
}

const ratioOf = (size: unknown): string => ratios[asText(size)] ?? '1:1';

const imagen = ({ body }: OneShotRequest, target: Target): Order => ({
  url: geminiUrl(target, target.upstreamModel, 'predict'),
  body: {
    instances: [{ prompt: body['prompt'] }],
    parameters: { sampleCount: body['n'] ?? 1, aspectRatio: ratioOf(body['size']), personGeneration: 'allow_adult' },
  },
});

function drawing({ body }: OneShotRequest, target: Target): Order {
  if (typeof body['n'] === 'number' && body['n'] > 1) throw unsupported('n', 'this model generates one image');
  const sized =
    someText(body['size']) === undefined || body['size'] === 'auto'
      ? {}
      : { imageConfig: { aspectRatio: ratioOf(body['size']) } };
  return {
    url: geminiUrl(target, target.upstreamModel, 'generateContent'),
    body: {
      contents: [{ role: 'user', parts: [{ text: body['prompt'] }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], ...sized },
    },
  };
}

/** Filtered images are absent. */
const predicted = (answer: Fields): Record<string, unknown>[] =>
  asFieldsList(answer['predictions']).flatMap((prediction) => {
    const data = someText(prediction['bytesBase64Encoded']);
    return data === undefined ? [] : [{ b64_json: data }];
  });

const drawn = (answer: Fields): Record<string, unknown>[] =>
  asFieldsList(answer['candidates'])
    .flatMap((candidate) => asFieldsList(asFields(candidate['content'])?.['parts']))
    .flatMap((part) => {
      const data = someText(asFields(part['inlineData'])?.['data']);
      return data === undefined ? [] : [{ b64_json: data }];
    });

const usageOf = (answer: Fields, count: number): Usage | null => toGeminiUsage(answer['usageMetadata'], count);
