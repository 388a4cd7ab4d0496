import { AppError } from '../../../shared/errors.js';
import type { Adapter, Target } from '../../adapter.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/** @throws AppError UPSTREAM_UNREACHABLE when the channel does not name the account */
export function accountUrl(base: string, { other }: Pick<Target, 'other'>): string {
  const account = other.trim();
  if (account === '') throw new AppError('UPSTREAM_UNREACHABLE', 'The channel does not name its Cloudflare account');
  return `${base}/client/v4/accounts/${encodeURIComponent(account)}/ai`;
}

/** Cloudflare answers with names of its own making. */
const named = (answer: Record<string, unknown>, target: Target): Record<string, unknown> => ({
  ...answer,
  model: target.upstreamModel,
});

export const cloudflare: Adapter = openAICompatible({
  defaultBaseUrl: 'https://api.cloudflare.com',
  chatUrl: (base, _request, target) => `${accountUrl(base, target)}/v1/chat/completions`,
  streamUsage: true,
  answer: named,
  chunk: named,
});
