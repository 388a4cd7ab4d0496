import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { ConversationCapability } from '../../contract.js';
import { toUpstreamError, readError } from '../../errors/read-upstream-error.js';
import { droppedBy, plainTurns, splitInstructions } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader, WrittenRequest } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields, type Fields, type Json } from '../../neutral/fields.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { LineFrames } from '../../wire/line-frames.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { oneAnswer, textPart } from '../openai-compatible/own-dialect.js';
import { failureOf, finishOf, readCohere, toCohereUsage } from './cohere-read.js';
import { CohereStreamReader } from './cohere-stream-reader.js';
import { settingsOf, writeCohere } from './cohere-write.js';

const texts = new Set(['text', 'refusal', 'reasoning']);

/** Whether `/v1/chat` can express the call. It has other tools, and no images. */
const isPlain = ({ messages, tools, responseFormat, reasoning }: NeutralRequest): boolean =>
  tools.length === 0 &&
  reasoning === undefined &&
  (responseFormat === undefined || responseFormat.kind === 'text') &&
  messages.every(({ parts }) => parts.every(({ kind }) => texts.has(kind)));

/** A call of `/v1/chat`: the last message, and those before it. */
function writeV1(request: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(request, {
    stop: true,
    maxOutput: true,
    sampling: ['temperature', 'topP', 'topK', 'seed', 'frequencyPenalty', 'presencePenalty'],
  });
  const { instructions, turns } = splitInstructions(plainTurns(request, dropped));
  const history = turns.slice(0, -1).map(({ role, text }) => ({
    role: role === 'assistant' ? 'CHATBOT' : 'USER',
    message: text,
  }));
  const body = omitUndefined<Json>({
    model: request.model,
    // Cohere refuses a call without a message.
    message: turns.at(-1)?.text ?? instructions,
    preamble: turns.length === 0 || instructions === '' ? undefined : instructions,
    chat_history: history.length > 0 ? history : undefined,
    ...settingsOf(request),
  });
  return { body, dropped: dropped.names };
}

function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  if (typeof answer?.['text'] !== 'string') return readCohere(body);
  const reason = answer['finish_reason'];
  const failed = failureOf(reason);
  if (failed) throw failed;
  return oneAnswer(
    { id: asText(answer['response_id']) },
    textPart(answer['text']),
    finishOf(reason),
    toCohereUsage(answer['meta']),
  );
}

/** Reads the events of both versions: only those of `/v1/chat` have an `event_type`. */
class StreamReaderV1 implements StreamReader {
  private readonly newer = new CohereStreamReader();
  private isDone = false;

  get done(): boolean {
    return this.isDone || this.newer.done;
  }

  push(event: ServerEvent): NeutralEvent[] {
    const piece = parseFields(event.data);
    switch (piece?.['event_type']) {
      case undefined:
        return piece?.['type'] === undefined && readError(piece)
          ? [{ kind: 'error', error: toUpstreamError(502, event.data) }]
          : this.newer.push(event);
      case 'text-generation':
        return asText(piece?.['text']) === '' ? [] : [{ kind: 'text', choice: 0, text: asText(piece?.['text']) }];
      case 'stream-end':
        return this.finish(piece ?? {});
      default:
        return [];
    }
  }

  private finish(piece: Fields): NeutralEvent[] {
    const error = failureOf(piece['finish_reason']);
    if (error) return [{ kind: 'error', error }];
    this.isDone = true;
    const reason = finishOf(piece['finish_reason']);
    const usage = toCohereUsage(asFields(piece['response'])?.['meta']);
    return [
      ...(reason ? [{ kind: 'finish', choice: 0, reason } as const] : []),
      ...(usage ? [{ kind: 'usage', usage } as const] : []),
    ];
  }
}

/**
 * Chat at `/v1/chat`, which Cohere keeps beside `/v2/chat`. Calls that it cannot express go to the newer path.
 * @param newer the capability of `/v2/chat`
 */
export const cohereV1 = (newer: ConversationCapability): ConversationCapability => ({
  codec: () => ({
    dialect: 'own',
    write: (request) => (isPlain(request) ? writeV1(request) : writeCohere(request)),
    read,
    openReader: () => new StreamReaderV1(),
  }),
  openFrames: () => new LineFrames(),
  toUpstreamRequest(body, call, target) {
    const request = newer.toUpstreamRequest(body, call, target);
    return 'messages' in body ? request : { ...request, url: request.url.replace(/\/v2\/chat$/, '/v1/chat') };
  },
});
