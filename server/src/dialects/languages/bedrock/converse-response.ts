import { toCount } from '../openai/usage.js';
import { asFields, asFieldsList, asText, parseFields, type Fields, type Json } from '../../neutral/fields.js';

/** Returns a whole message of Messages as the response of Bedrock's Converse. */
export function toConverseResponse(message: Fields, latencyMs: number): Json {
  return {
    output: { message: { role: 'assistant', content: asFieldsList(message['content']).flatMap(toContent) } },
    stopReason: toStopReason(message['stop_reason']),
    usage: toUsage(asFields(message['usage']) ?? {}),
    metrics: { latencyMs },
  };
}

/** Converse has no block for tools that the provider runs. */
function toContent(block: Fields): Json[] {
  switch (block['type']) {
    case 'text':
      return [{ text: asText(block['text']) }];
    case 'tool_use':
      return [{ toolUse: { toolUseId: block['id'], name: block['name'], input: block['input'] ?? {} } }];
    case 'thinking': {
      const { thinking, signature } = block;
      return [{ reasoningContent: { reasoningText: { text: asText(thinking), ...(signature ? { signature } : {}) } } }];
    }
    case 'redacted_thinking':
      return [{ reasoningContent: { redactedContent: bytesOf(block) } }];
    default:
      return [];
  }
}

/** Bytes are base64 in AWS's JSON. */
const bytesOf = ({ data }: Fields): string => Buffer.from(asText(data)).toString('base64');

const stopReasons: Readonly<Record<string, string>> = { refusal: 'content_filtered', pause_turn: 'end_turn' };
const toStopReason = (reason: unknown): string => stopReasons[asText(reason)] ?? (asText(reason) || 'end_turn');

/** As in Messages, cached tokens are not among the input tokens. */
function toUsage(usage: Fields): Json {
  const [inputTokens, outputTokens] = [toCount(usage['input_tokens']), toCount(usage['output_tokens'])];
  const read = toCount(usage['cache_read_input_tokens']);
  const written = toCount(usage['cache_creation_input_tokens']);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens + read + written,
    ...(read + written > 0 ? { cacheReadInputTokens: read, cacheWriteInputTokens: written } : {}),
  };
}

/** An event of Converse, and its type. */
export type ConverseEvent = readonly [type: string, body: Json];

/** Translates the events of one stream of Messages. */
export class ConverseStream {
  private usage: Fields = {};
  private stopReason: unknown;
  /** Indexes of blocks that Converse has. */
  private readonly shown = new Set<unknown>();

  /** @param data the data of one event */
  push(data: string, latencyMs: number): ConverseEvent[] {
    const event = parseFields(data) ?? {};
    const contentBlockIndex = event['index'];
    switch (event['type']) {
      case 'message_start':
        this.usage = asFields(asFields(event['message'])?.['usage']) ?? {};
        return [['messageStart', { role: 'assistant' }]];
      case 'content_block_start':
        return this.begin(asFields(event['content_block']) ?? {}, contentBlockIndex);
      case 'content_block_delta': {
        const delta = toDelta(asFields(event['delta']) ?? {});
        return delta && this.shown.has(contentBlockIndex) ? [['contentBlockDelta', { contentBlockIndex, delta }]] : [];
      }
      case 'content_block_stop':
        return this.shown.has(contentBlockIndex) ? [['contentBlockStop', { contentBlockIndex }]] : [];
      case 'message_delta':
        this.usage = { ...this.usage, ...asFields(event['usage']) };
        this.stopReason = asFields(event['delta'])?.['stop_reason'];
        return [];
      case 'message_stop':
        return [
          ['messageStop', { stopReason: toStopReason(this.stopReason) }],
          ['metadata', { usage: toUsage(this.usage), metrics: { latencyMs } }],
        ];
      case 'ping':
        // Converse has no such event, and AWS's SDKs leave out events that they do not know. It keeps the connection open.
        return [['ping', {}]];
      default:
        return [];
    }
  }

  /** Only tools have an event at their beginning: other blocks begin with their first piece. */
  private begin(block: Fields, contentBlockIndex: unknown): ConverseEvent[] {
    if (toContent(block).length === 0) return [];
    this.shown.add(contentBlockIndex);
    if (block['type'] === 'tool_use') {
      const start = { toolUse: { toolUseId: block['id'], name: block['name'] } };
      return [['contentBlockStart', { contentBlockIndex, start }]];
    }
    if (block['type'] !== 'redacted_thinking') return [];
    const delta = { reasoningContent: { redactedContent: bytesOf(block) } };
    return [['contentBlockDelta', { contentBlockIndex, delta }]];
  }
}

function toDelta(delta: Fields): Json | null {
  switch (delta['type']) {
    case 'text_delta':
      return { text: delta['text'] };
    case 'input_json_delta':
      return { toolUse: { input: delta['partial_json'] } };
    case 'thinking_delta':
      return { reasoningContent: { text: delta['thinking'] } };
    case 'signature_delta':
      return { reasoningContent: { signature: delta['signature'] } };
    default:
      return null;
  }
}
