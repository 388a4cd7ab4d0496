import { AppError } from '../../shared/errors.js';
import { noUsage } from '../../shared/usage.js';
import type { ChatAnswer, ChatCapability, StreamTransform } from '../../dialects/contract.js';
import type { Target } from '../../dialects/target.js';
import { cutShort } from './delivery.js';
import type { AnswerContext } from '../../dialects/neutral/codec.js';
import { AnswerCollector } from '../../dialects/neutral/collect.js';
import { parseFields } from '../../dialects/neutral/fields.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import type { ChatDialect } from './chat-dialects.js';
import { answerFor } from './translated-chat.js';

/**
 * Collects the stream of a provider that streams although the client asked for one response.
 * @param stream of the provider's own capability in the client's dialect, not used before
 * @throws UpstreamError when the stream reports an error; AppError UPSTREAM_INVALID_RESPONSE when it breaks off
 */
export function collectedAnswer(
  chat: ChatCapability,
  stream: StreamTransform,
  body: Buffer,
  { dialect, target, context }: { dialect: ChatDialect; target: Target; context: AnswerContext },
): ChatAnswer {
  const { client, openReader, wholeOf } = dialect;
  if (!client || !openReader) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream sent a stream, and one response was asked for');
  }
  const pieces = [stream.push(body), stream.end()];
  if (stream.failure) throw stream.failure;
  if (!stream.complete) throw cutShort();
  const usage = stream.usage();
  const parser = new EventParser();
  const reader = openReader();
  const collector = new AnswerCollector();
  for (const piece of [...pieces, stream.closing(usage ?? noUsage)]) {
    for (const event of parser.push(Buffer.from(piece ?? ''))) {
      const whole = wholeOf?.(parseFields(event.data) ?? {});
      if (whole) return chat.fromUpstreamResponse(Buffer.from(JSON.stringify(whole)), target);
      for (const each of reader.push(event)) collector.push(each);
    }
  }
  if (collector.error) throw collector.error;
  return answerFor({ ...collector.answer(), usage }, client, context);
}
