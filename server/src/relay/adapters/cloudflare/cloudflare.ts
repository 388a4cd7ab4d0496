import { AppError } from '../../../shared/errors.js';
import type { Adapter, Target } from '../../adapter.js';
import { asFields, asText } from '../../neutral/fields.js';
import type { Dialect } from '../openai-compatible/dialect.js';
import { openAICompatible, streamed } from '../openai-compatible/openai-compatible.js';
import { cloudflareImages, cloudflareTranscription } from './cloudflare-run.js';

/** @throws AppError UPSTREAM_UNREACHABLE when the channel does not name the account */
function accountUrl(base: string, { other }: Pick<Target, 'other'>): string {
  const account = other.trim();
  if (account === '') throw new AppError('UPSTREAM_UNREACHABLE', 'The channel does not name its Cloudflare account');
  return `${base}/client/v4/accounts/${encodeURIComponent(account)}/ai`;
}

/** Models with their own protocol are called at a path with their name, which contains slashes. */
const runUrl = (base: string, _call: unknown, target: Target): string =>
  `${accountUrl(base, target)}/run/${encodeURI(target.upstreamModel)}`;

/** Cloudflare returns its own names; this restores the requested model name. */
const named = (answer: Record<string, unknown>, target: Target): Record<string, unknown> => ({
  ...answer,
  model: target.upstreamModel,
});

const dialect: Dialect = {
  chat: (base, _call, target) => `${accountUrl(base, target)}/v1/chat/completions`,
  capabilities: { embeddings: (base, _call, target) => `${accountUrl(base, target)}/v1/embeddings` },
  streamUsage: true,
  answer: named,
  chunk: named,
};

/** `{result: {response, usage}}`, and `{response}` in a stream. */
function toCompletion(answer: Record<string, unknown>, target: Target): Record<string, unknown> {
  const result = asFields(answer['result']) ?? answer;
  const ends = answer['result'] !== undefined;
  return {
    id: '',
    object: 'text_completion',
    created: Math.floor(target.now / 1000),
    model: target.upstreamModel,
    choices: [{ index: 0, text: asText(result['response']), logprobs: null, finish_reason: ends ? 'stop' : null }],
    ...(asFields(result['usage']) ? { usage: result['usage'] } : {}),
  };
}

export const cloudflare: Adapter = {
  ...openAICompatible(dialect),
  completions: streamed({ ...dialect, streamUsage: false, answer: toCompletion, chunk: toCompletion }, runUrl),
  images: cloudflareImages(dialect, runUrl),
  transcription: cloudflareTranscription(dialect, runUrl),
};
