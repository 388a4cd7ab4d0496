import type { Adapter } from '../../adapter.js';
import type { Fields } from '../../neutral/fields.js';
import type { BodyRules, Dialect } from '../openai-compatible/dialect.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { aliImages } from './ali-images.js';
import { aliEmbeddings, aliRerank } from './ali-texts.js';

const searches = /-internet$/;

/**
 * docs/reference/providers/openai-family.md#request-changes and docs/reference/providers/own-protocols.md#alibaba: the
 * bounds of ranges are refused, and the model suffix `-internet` turns on web search.
 */
export function aliRules(body: Fields, model: string): BodyRules {
  const changes: Record<string, unknown> = {};
  const topP = body['top_p'];
  if (typeof topP === 'number' && topP >= 1) changes['top_p'] = 0.999;
  if (typeof topP === 'number' && topP <= 0) changes['top_p'] = 0.001;
  if (searches.test(model)) changes['enable_search'] = true;
  return { model: model.replace(searches, ''), changes: Object.keys(changes).length > 0 ? changes : null };
}

const dialect: Dialect = {
  chat: '/compatible-mode/v1/chat/completions',
  headers: ({ other }, { stream }) => ({
    ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(other.trim() ? { 'x-dashscope-plugin': other.trim() } : {}),
  }),
  streamUsage: true,
  capabilities: { completions: '/compatible-mode/v1/completions' },
  rules: aliRules,
};

export const ali: Adapter = {
  ...openAICompatible(dialect),
  embeddings: aliEmbeddings(dialect),
  images: aliImages(dialect),
  rerank: aliRerank(dialect),
};
