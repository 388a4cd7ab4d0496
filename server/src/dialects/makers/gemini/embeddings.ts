import { AppError, InvalidInputError } from '../../../shared/errors.js';
import type { OneShotCapability } from '../../contract.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, parseJson, type Fields } from '../../neutral/fields.js';
import { overriddenBody, setsField } from '../../overrides/body-override.js';
import { toGeminiUsage } from '../../languages/gemini/gemini-usage.js';
import { readGeminiError } from '../../languages/gemini/error.js';
import { geminiHeaders, geminiUrl, modelPath } from './url.js';

/** The oldest model has a fixed size. */
const fixedSize = 'embedding-001';
const known = new Set(['model', 'input', 'dimensions', 'encoding_format']);

/**
 * Embeddings in OpenAI's shape, all inputs in one call
 * (docs/reference/providers/gemini-and-vertex.md#embeddings-and-images).
 */
export const embeddings: OneShotCapability = {
  toUpstreamRequest({ body }, target) {
    const model = target.upstreamModel;
    const dimensions = model === fixedSize ? undefined : body['dimensions'];
    const requests = textsOf(body).map((text) => ({
      model: modelPath(model),
      content: { parts: [{ text }] },
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    }));
    const dropped = Object.keys(body).filter((name) => !known.has(name) && !setsField(target, name));
    return {
      method: 'POST',
      url: geminiUrl(target, model, 'batchEmbedContents'),
      headers: geminiHeaders(target, false),
      body: JSON.stringify(overriddenBody({ requests }, target)),
      ...(dropped.length > 0 ? { dropped } : {}),
    };
  },
  fromUpstreamResponse({ body }, _request, target) {
    const answer = asFields(parseJson(body.toString('utf8')));
    const error = answer ? readGeminiError(answer) : null;
    if (error) throw error;
    if (!answer || !Array.isArray(answer['embeddings'])) {
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not an embedding');
    }
    const data = asFieldsList(answer['embeddings']).map(({ values }, index) => ({
      object: 'embedding',
      index,
      embedding: values,
    }));
    const usage = toGeminiUsage(answer['usageMetadata']);
    const counts = { prompt_tokens: usage?.promptTokens ?? 0, total_tokens: usage?.promptTokens ?? 0 };
    return {
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify({ object: 'list', model: target.upstreamModel, data, usage: counts })),
      usage,
    };
  },
};

function textsOf({ input }: Fields): string[] {
  const given = Array.isArray(input) ? (input as unknown[]) : [input];
  if (given.length === 0) throw new InvalidInputError('input is empty', 'input');
  return given.map((text) => {
    if (typeof text !== 'string') throw unsupported('input', 'Gemini accepts text, not tokens');
    return text;
  });
}
