import { toUpstreamError, readError } from '../../errors/read-upstream-error.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields, someNumber, someText, type Fields } from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import {
  failureOf,
  finishOf,
  imageTypeOf,
  queriesOf,
  signatureIn,
  summaryBreak,
  toChatAnnotation,
} from './responses-read.js';
import { toolItem, toResponsesUsage, usageOfItems } from './responses-usage.js';

const choice = 0;

interface OpenItem {
  readonly tool: number;
  filled: boolean;
}

/** Reads the events of a streamed response. */
export class ResponsesStreamReader implements StreamReader {
  private readonly calls = new Map<number, OpenItem>();
  private tools = 0;
  private thoughts = 0;
  private started = false;
  private readonly toolItems: Fields[] = [];
  private declared: unknown;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    if (data.startsWith('[DONE]')) {
      this.done = true;
      return [];
    }
    const event = parseFields(data);
    return event ? this.read(event) : [];
  }

  /** Reads the data of an event that is already parsed. */
  read(event: Fields): NeutralEvent[] {
    switch (event['type']) {
      case 'response.created':
      case 'response.in_progress':
        return this.start(asFields(event['response']) ?? {});
      case 'response.output_text.delta':
        return said('text', event);
      case 'response.refusal.delta':
        return said('refusal', event);
      case 'response.reasoning_summary_part.added':
        return this.thoughts++ > 0 && (someNumber(event['summary_index']) ?? 0) > 0
          ? [{ kind: 'reasoning', choice, text: summaryBreak }]
          : [];
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return said('reasoning', event);
      case 'response.output_item.added':
        return this.open(event);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.fill(position(event), asText(event['delta']));
      case 'response.output_item.done':
        return this.close(event);
      case 'response.output_text.annotation.added': {
        const annotation = toChatAnnotation(asFields(event['annotation']) ?? {});
        return annotation ? [{ kind: 'annotation', choice, annotation }] : [];
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.finish(asFields(event['response']) ?? {});
      case 'error':
        return [
          {
            kind: 'error',
            error: toUpstreamError(502, JSON.stringify(asFields(event['error']) ? event : { error: event })),
          },
        ];
      default:
        // Unknown event types are ignored, unless they contain an error.
        return event['error'] && readError(event)
          ? [{ kind: 'error', error: toUpstreamError(502, JSON.stringify(event)) }]
          : [];
    }
  }

  private start(response: Fields): NeutralEvent[] {
    if (this.started) return [];
    this.started = true;
    this.declared = response['tools'];
    const created = someNumber(response['created_at']);
    return [
      {
        kind: 'start',
        id: asText(response['id']),
        model: asText(response['model']),
        ...(created === undefined ? {} : { created }),
      },
    ];
  }

  private open(event: Fields): NeutralEvent[] {
    const item = asFields(event['item']) ?? {};
    const custom = item['type'] === 'custom_tool_call';
    if (!custom && item['type'] !== 'function_call') return [];
    const namespace = someText(item['namespace']);
    const index = this.tools++;
    this.calls.set(position(event), { tool: index, filled: false });
    return [
      {
        kind: 'toolStart',
        choice,
        index,
        id: asText(item['call_id']),
        name: asText(item['name']),
        ...(custom ? { custom } : {}),
        ...(namespace === undefined ? {} : { namespace }),
      },
    ];
  }

  private fill(at: number, text: string): NeutralEvent[] {
    const call = this.calls.get(at);
    if (!call || text === '') return [];
    call.filled = true;
    return [{ kind: 'toolDelta', choice, index: call.tool, text }];
  }

  private close(event: Fields): NeutralEvent[] {
    const item = asFields(event['item']) ?? {};
    const at = position(event);
    const call = this.calls.get(at);
    if (call) {
      const rest = call.filled ? [] : this.fill(at, asText(item['arguments']) || asText(item['input']));
      this.calls.delete(at);
      return [...rest, { kind: 'toolEnd', choice, index: call.tool }];
    }
    if (item['type'] === 'reasoning') {
      const signature = signatureIn(item);
      return signature === undefined ? [] : [{ kind: 'signature', choice, of: 'reasoning', signature }];
    }
    const ran = toolItem(item);
    if (!ran) return [];
    this.toolItems.push(ran);
    const usage: NeutralEvent = { kind: 'usage', usage: usageOfItems(this.toolItems, this.declared) };
    const picture = item['type'] === 'image_generation_call' ? someText(item['result']) : undefined;
    const searches = queriesOf(item).map((query): NeutralEvent => ({ kind: 'search', choice, query }));
    return picture === undefined
      ? [usage, ...searches]
      : [usage, { kind: 'image', choice, mediaType: imageTypeOf(item), data: picture }];
  }

  private finish(response: Fields): NeutralEvent[] {
    this.done = true;
    const usage = toResponsesUsage(response, true);
    const reported: NeutralEvent[] = usage ? [{ kind: 'usage', usage }] : [];
    const error = failureOf(response);
    if (error) return [...reported, { kind: 'error', error }];
    const reason = finishOf(response, this.tools > 0);
    // A completed stream need not repeat the status.
    return [
      ...this.start(response),
      { kind: 'finish', choice, reason: reason ?? (this.tools > 0 ? 'toolCalls' : 'stop') },
      ...reported,
    ];
  }
}

const position = (event: Fields): number => someNumber(event['output_index']) ?? 0;

function said(kind: 'text' | 'refusal' | 'reasoning', event: Fields): NeutralEvent[] {
  const text = asText(event['delta']);
  return text === '' ? [] : [{ kind, choice, text }];
}
