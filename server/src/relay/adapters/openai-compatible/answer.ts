import { AppError } from '../../../shared/errors.js';
import type { ChatAnswer, Target } from '../../adapter.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { tellChoices } from '../../protocols/openai/chat-parts.js';
import { readError } from '../../errors/read-upstream-error.js';
import { toUsage } from '../../protocols/openai/usage.js';
import type { Dialect } from './dialect.js';
import { thinkingToContent } from './thinking.js';

/** A whole answer in the client's own dialect: the bytes stay where nothing has to change, the relay only listens. */
export function fromChatAnswer(dialect: Dialect, bytes: Buffer, target: Target): ChatAnswer {
  const received = parseAnswer(bytes);
  const answer = normalAnswer(dialect, received, target);
  const shown = (target.setting.thinkingToContent ? thinkingToContent(answer) : null) ?? answer;
  return {
    body: shown === received ? bytes : Buffer.from(JSON.stringify(shown)),
    usage: toUsage(answer['usage']),
    tell: (heard) => void tellChoices(answer['choices'], 'message', heard),
  };
}

/** @throws UpstreamError when a success reports an error: the upstream is broken, and another channel may do better */
export function normalAnswer(
  dialect: Dialect,
  received: Record<string, unknown>,
  target: Target,
): Record<string, unknown> {
  const error = received['error'] ? readError(received) : null;
  if (error) throw new UpstreamError(502, error);
  return dialect.answer?.(received, target) ?? received;
}

function parseAnswer(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Not JSON: told below, without the text, which may be anything.
  }
  throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream answered with something that is not a JSON object');
}
