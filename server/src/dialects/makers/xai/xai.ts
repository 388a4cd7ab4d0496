import type { Adapter, OneShotRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, someText, type Fields } from '../../neutral/fields.js';
import { toDataUrl } from '../../neutral/media.js';
import { toCount } from '../../languages/openai/usage.js';
import type { BodyRules, OpenAiVariant } from '../openai-compatible/variant.js';
import { oneShot, type OneShotRules } from '../openai-compatible/one-shot.js';
import { imageRules, openAICompatible } from '../openai-compatible/openai-compatible.js';

const effortSuffix = /-(low|medium|high)$/;
/** These models decide by their name whether to reason, or always reason, and refuse an effort. */
const refusesEffort = /^grok-(?:beta|2|3(?!-mini)|code-|4(?:$|-)|4\.20.*-(?:non-)?reasoning$)/;
const thinks = /^grok-(?:3-mini|4|code-|build-)/;
const refusedByThinkers = ['stop', 'presence_penalty', 'frequency_penalty'] as const;

/** Returns the request changes of type 48 (docs/reference/providers/openai-family.md#request-changes). */
export function xaiRules(body: Fields, model: string, { models }: Pick<Target, 'models'>): BodyRules {
  const suffix = models.includes(model) && !/^grok-3-mini/.test(model) ? null : effortSuffix.exec(model);
  const bare = suffix ? model.slice(0, suffix.index) : model;
  const effort = suffix?.[1] ?? (typeof body['reasoning_effort'] === 'string' ? body['reasoning_effort'] : undefined);
  const changes: Record<string, unknown> = {};
  if (refusesEffort.test(bare)) {
    if (body['reasoning_effort'] !== undefined) changes['reasoning_effort'] = undefined;
  } else if (suffix) changes['reasoning_effort'] = effort;
  if (thinks.test(bare)) {
    if (body['max_tokens'] !== undefined) {
      changes['max_tokens'] = undefined;
      if (body['max_tokens'] !== null)
        changes['max_completion_tokens'] ??= body['max_completion_tokens'] ?? body['max_tokens'];
    }
    for (const name of refusedByThinkers) if (body[name] !== undefined) changes[name] = undefined;
  }
  const refused = refusesEffort.test(bare);
  return {
    model: bare,
    ...(effort === undefined || refused ? {} : { reasoningEffort: effort }),
    ...(refused && typeof body['reasoning_effort'] === 'string' ? { dropped: ['reasoning_effort'] } : {}),
    changes: Object.keys(changes).length > 0 ? changes : null,
  };
}

/** xAI reports reasoning tokens separately from `completion_tokens`; all others include them. */
function withReasoningCounted(answer: Record<string, unknown>): Record<string, unknown> {
  const usage = asFields(answer['usage']);
  if (!usage) return answer;
  const completion = toCount(usage['total_tokens']) - toCount(usage['prompt_tokens']);
  if (completion <= toCount(usage['completion_tokens'])) return answer;
  const details = asFields(usage['completion_tokens_details']) ?? {};
  const text = completion - toCount(details['reasoning_tokens']);
  return {
    ...answer,
    usage: {
      ...usage,
      completion_tokens: completion,
      completion_tokens_details: { ...details, text_tokens: Math.max(text, 0) },
    },
  };
}

const variant: OpenAiVariant = {
  responses: '/v1/responses',
  rules: xaiRules,
  answer: withReasoningCounted,
  chunk: withReasoningCounted,
};

const ratios: Readonly<Record<string, string>> = { '1024x1024': '1:1', '1024x1792': '9:16', '1792x1024': '16:9' };

/** Images have an aspect ratio instead of a size. */
function imageBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { size, quality: _quality, style: _style, ...rest } = body;
  const ratio = rest['aspect_ratio'] ?? (typeof size === 'string' ? ratios[size] : undefined);
  return ratio === undefined ? rest : { ...rest, aspect_ratio: ratio };
}

const ofImages: OneShotRules = {
  ...imageRules,
  onlyWhole: true,
  body: imageBody,
  dropped: (body) =>
    ['quality', 'style', ...(ratios[String(body['size'])] ? [] : ['size'])].filter((name) => body[name] !== undefined),
};
const edits = oneShot(variant, '/v1/images/edits', ofImages);

/**
 * Returns an image edit as JSON, the only form that xAI accepts.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for a mask, and for a file at another provider
 */
function editBody({ body, form }: OneShotRequest): Record<string, unknown> {
  const { images: given, n, ...rest } = body;
  if (rest['mask'] || form?.some(({ name }) => name === 'mask')) throw unsupported('mask', 'it edits whole images');
  const urls = form
    ? form.flatMap(({ value }) =>
        typeof value === 'string' ? [] : [toDataUrl(value.contentType, value.bytes.toString('base64'))],
      )
    : asFieldsList(given).map((image, index) => {
        const url = someText(image['image_url']);
        if (url === undefined) throw unsupported(`images[${index}].file_id`, 'it takes images by URL only');
        return url;
      });
  const images = urls.map((url) => ({ url, type: 'image_url' }));
  return {
    ...rest,
    ...(n === undefined ? {} : { n: Number(n) }),
    ...(images.length === 1 ? { image: images[0] } : { images }),
  };
}

export const xai: Adapter = {
  ...openAICompatible(variant),
  images: oneShot(variant, '/v1/images/generations', ofImages),
  imageEdits: {
    ...edits,
    toUpstreamRequest: (request, target) =>
      edits.toUpstreamRequest({ ...request, body: editBody(request), form: null }, target),
  },
};
