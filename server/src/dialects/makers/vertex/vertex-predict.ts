import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError, InvalidInputError } from '../../../shared/errors.js';
import type { OneShotCapability, UpstreamRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { noUsage } from '../../../shared/usage.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, asText, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { overriddenBody } from '../../overrides/body-override.js';
import { toCount } from '../../languages/openai/usage.js';
import { embeddingTexts } from '../openai-compatible/embedding-texts.js';
import { answerFields, othersThan } from '../openai-compatible/one-shot.js';
import { modelUrl, vertexHeaders } from './place.js';
import { unixSecond } from '../../../shared/clock.js';

const ask = (target: Target, method: string, body: Fields, dropped: readonly string[]): UpstreamRequest => ({
  method: 'POST',
  url: modelUrl(target, 'google', target.upstreamModel, method),
  headers: vertexHeaders(target, false),
  body: JSON.stringify(overriddenBody(body, target)),
  ...(dropped.length > 0 ? { dropped } : {}),
});

const unknownOf = othersThan('input', 'dimensions', 'task_type', 'title');
const unknownOfImages = othersThan('prompt', 'n', 'size', 'response_format');

/** The newer models take one text per call and have their own method. */
const isGemini = ({ upstreamModel }: Target): boolean => upstreamModel.startsWith('gemini-embedding');

function textsOf(body: Fields): string[] {
  const texts = embeddingTexts(body);
  if (texts.length === 0) throw new InvalidInputError('input is empty', 'input');
  return texts;
}

export const vertexEmbeddings: OneShotCapability = {
  toUpstreamRequest({ body }, target) {
    const texts = textsOf(body);
    const { dimensions, task_type: taskType, title } = body;
    if (isGemini(target)) {
      if (texts.length > 1) throw unsupported('input', 'this model embeds one text per call');
      const content = { parts: texts.map((text) => ({ text })) };
      return ask(
        target,
        'embedContent',
        omitUndefined({ content, taskType, title, outputDimensionality: dimensions }),
        unknownOf(body),
      );
    }
    return ask(
      target,
      'predict',
      {
        instances: texts.map((content) => omitUndefined({ content, task_type: taskType, title })),
        parameters: omitUndefined({ outputDimensionality: dimensions }),
      },
      unknownOf(body),
    );
  },
  fromUpstreamResponse(answer, _request, target) {
    const fields = answerFields(answer);
    const single = asFields(fields['embedding']);
    const found = single
      ? [single]
      : asFieldsList(fields['predictions']).map((each) => asFields(each['embeddings']) ?? {});
    if (found.length === 0) {
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not an embedding');
    }
    const counted = found.reduce((sum, { statistics }) => sum + toCount(asFields(statistics)?.['token_count']), 0);
    const prompt = counted || toCount(asFields(fields['usageMetadata'])?.['promptTokenCount']);
    const body = {
      object: 'list',
      model: target.requestedModel,
      data: found.map(({ values }, index) => ({ object: 'embedding', index, embedding: values })),
      usage: { prompt_tokens: prompt, total_tokens: prompt },
    };
    return {
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(body)),
      usage: prompt > 0 ? { ...noUsage, promptTokens: prompt } : null,
    };
  },
};

const shapes: Readonly<Record<string, string>> = { '1024x1792': '9:16', '1792x1024': '16:9' };

/** Images by Imagen. */
export const vertexImages: OneShotCapability = {
  toUpstreamRequest({ body }, target) {
    if (!target.upstreamModel.startsWith('imagen')) {
      throw unsupported('model', 'only Imagen models are available here; Gemini models generate images in a chat');
    }
    return ask(
      target,
      'predict',
      {
        instances: [{ prompt: body['prompt'] }],
        parameters: {
          sampleCount: someNumber(body['n']) ?? 1,
          aspectRatio: shapes[asText(body['size'])] ?? '1:1',
          personGeneration: 'allow_adult',
        },
      },
      unknownOfImages(body),
    );
  },
  fromUpstreamResponse(answer, _request, { now }) {
    const data = asFieldsList(answerFields(answer)['predictions']).flatMap((each) => {
      const encoded = someText(each['bytesBase64Encoded']);
      return encoded === undefined ? [] : [{ b64_json: encoded }];
    });
    if (data.length === 0) {
      throw new UpstreamError(400, { message: 'No image was generated', type: 'upstream_error', code: 'no_images' });
    }
    const body = { created: unixSecond(now), data };
    const details = { images: data.length };
    return { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)), usage: null, details };
  },
};
