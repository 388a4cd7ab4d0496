import { AppError } from '../../../shared/errors.js';
import { UpstreamError, type ChatAnswer, type Target } from '../../adapter.js';
import { tellChoices } from '../../protocols/openai/chat-parts.js';
import { readError } from '../../protocols/openai/upstream-error.js';
import { toUsage } from '../../protocols/openai/usage.js';
import { thinkingToContent } from './thinking.js';

/** A whole answer in the client's own dialect: the bytes stay, the relay only listens. */
export function fromChatAnswer(bytes: Buffer, target: Target): ChatAnswer {
  const answer = parseAnswer(bytes);
  if (answer['error']) {
    const error = readError(answer);
    // A success that reports an error is a broken upstream, and another channel may do better.
    if (error) throw new UpstreamError(502, error);
  }
  const rebuilt = target.setting.thinkingToContent ? thinkingToContent(answer) : null;
  return {
    body: rebuilt ? Buffer.from(JSON.stringify(rebuilt)) : bytes,
    usage: toUsage(answer['usage']),
    tell: (heard) => void tellChoices(answer['choices'], 'message', heard),
  };
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
