import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields, type Fields } from '../../neutral/fields.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { argumentsOf, failureOf, finishOf, toCohereUsage } from './cohere-read.js';

const choice = 0;

/** Reads the events of `/v2/chat` (docs/reference/providers/own-protocols.md#cohere). */
export class CohereStreamReader implements StreamReader {
  private tools = 0;
  /** The arguments of the open call received so far, while they may still be empty. */
  private held: string | null = null;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const event = parseFields(data);
    if (!event) return [];
    const message = asFields(asFields(event['delta'])?.['message']) ?? {};
    switch (event['type']) {
      case 'message-start':
        return [{ kind: 'start', id: asText(event['id']), model: '' }];
      case 'content-start':
      case 'content-delta':
        return content(asFields(message['content']) ?? {});
      case 'tool-plan-delta':
        return said('reasoning', asText(message['tool_plan']));
      case 'tool-call-start':
        return this.open(asFields(message['tool_calls']) ?? {});
      case 'tool-call-delta':
        return this.fill(asText(asFields(asFields(message['tool_calls'])?.['function'])?.['arguments']));
      case 'tool-call-end':
        return this.close();
      case 'message-end':
        return this.finish(asFields(event['delta']) ?? {});
      default:
        // Citations and unknown events are ignored.
        return event['type'] === undefined && readError(event)
          ? [{ kind: 'error', error: toUpstreamError(502, data) }]
          : [];
    }
  }

  private open(call: Fields): NeutralEvent[] {
    const called = asFields(call['function']) ?? {};
    const index = this.tools++;
    this.held = '';
    return [
      { kind: 'toolStart', choice, index, id: asText(call['id']), name: asText(called['name']) },
      ...this.fill(asText(called['arguments'])),
    ];
  }

  private fill(text: string): NeutralEvent[] {
    if (text === '' || this.tools === 0) return [];
    if (this.held !== null) {
      this.held += text;
      if ('null'.startsWith(this.held)) return [];
      const all = this.held;
      this.held = null;
      return [{ kind: 'toolDelta', choice, index: this.tools - 1, text: all }];
    }
    return [{ kind: 'toolDelta', choice, index: this.tools - 1, text }];
  }

  private close(): NeutralEvent[] {
    if (this.tools === 0) return [];
    const index = this.tools - 1;
    const rest = this.held;
    this.held = null;
    return [
      ...(rest === null ? [] : [{ kind: 'toolDelta', choice, index, text: argumentsOf(rest) } as const]),
      { kind: 'toolEnd', choice, index },
    ];
  }

  private finish(delta: Fields): NeutralEvent[] {
    const error = failureOf(delta['finish_reason']);
    if (error) return [{ kind: 'error', error }];
    this.done = true;
    const reason = finishOf(delta['finish_reason']);
    const usage = toCohereUsage(delta['usage']);
    return [
      ...(reason ? [{ kind: 'finish', choice, reason } as const] : []),
      ...(usage ? [{ kind: 'usage', usage } as const] : []),
    ];
  }
}

const said = (kind: 'text' | 'reasoning', text: string): NeutralEvent[] =>
  text === '' ? [] : [{ kind, choice, text }];

const content = (part: Fields): NeutralEvent[] => [
  ...said('reasoning', asText(part['thinking'])),
  ...said('text', asText(part['text'])),
];
