import { AppError } from '../../../shared/errors.js';
import type { Usage } from '../../../shared/usage.js';
import type { AnswerContext, StreamEnding } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import {
  asFields,
  asList,
  asText,
  parseFields,
  someNumber,
  someText,
  type Fields,
  type Json,
} from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { isMadeId, responseId, responseObject, statusOf } from './response-object.js';
import { ResponsesStreamReader } from './responses-stream-reader.js';
import { fromResponsesUsage } from './responses-usage.js';

/** An item as the client has seen it so far. */
interface ShownItem {
  readonly item: Json;
  /** The pieces inside the item that have begun and are not done, in order. Null if the item is done. */
  open: readonly Piece[] | null;
}

/** A part of an item, or a text, for which the client waits for an event `name.done`. */
interface Piece {
  readonly name: string;
  readonly place: Place;
  readonly index: number;
  /** The part or item that contains the text. */
  readonly holder: Json;
}

interface Place {
  /** The list of the item that contains the part. Absent if the item itself contains the text. */
  readonly list?: 'content' | 'summary';
  /** The field of `name.done` that has the whole text or part. For a text, its holder has a field of the same name. */
  readonly field: string;
  /** The part of a text, if no event announced that part. */
  readonly part?: Json;
}

/** Positions by event name, without `.added`, `.delta` and `.done`. */
const places: Readonly<Record<string, Place>> = {
  'response.content_part': { list: 'content', field: 'part' },
  'response.reasoning_summary_part': { list: 'summary', field: 'part' },
  'response.output_text': { list: 'content', field: 'text', part: { type: 'output_text', text: '', annotations: [] } },
  'response.refusal': { list: 'content', field: 'refusal', part: { type: 'refusal', refusal: '' } },
  'response.reasoning_text': { list: 'content', field: 'text', part: { type: 'reasoning_text', text: '' } },
  'response.reasoning_summary_text': { list: 'summary', field: 'text', part: { type: 'summary_text', text: '' } },
  'response.function_call_arguments': { field: 'arguments' },
  'response.custom_tool_call_input': { field: 'input' },
  'response.mcp_call_arguments': { field: 'arguments' },
  'response.code_interpreter_call_code': { field: 'code' },
};

/** Types of calls that have no status "incomplete". */
const failing = new Set(['web_search_call', 'image_generation_call']);
/** Types of items that a provider accepts from any response. */
const plainItems = new Set(['message', 'function_call', 'custom_tool_call']);
/** Maximum characters kept of a response, because the last event repeats all of it. */
const keptLimit = 32 * 1024 * 1024;

/** Ends a response: its open items, then the response object that the client has seen, with every item. */
export class ResponsesEnding implements StreamEnding {
  private readonly reader = new ResponsesStreamReader();
  private readonly items = new Map<number, ShownItem>();
  private response: Fields | null = null;
  private sequence: number | null = null;
  private kept = 0;

  constructor(private readonly context: AnswerContext) {}

  /** @throws AppError UPSTREAM_INVALID_RESPONSE when too much has to be kept */
  push(event: ServerEvent): NeutralEvent[] {
    const fields = parseFields(event.data);
    if (!fields) return this.reader.push(event);
    this.note(fields, event.data.length);
    return this.reader.read(fields);
  }

  end(usage: Usage): string {
    const shown = [...this.items].sort(([one], [other]) => one - other);
    let out = '';
    const output: Json[] = [];
    for (const [index, { item, open }] of shown) {
      if (open) out += this.close(index, item, open);
      output.push(item);
    }
    const { id, created, model } = this.context;
    const given =
      this.response ?? responseObject({ id: responseId(id, this.context), created, model }, this.context, {});
    const response = { ...given, ...statusOf('length'), output, usage: fromResponsesUsage(usage) };
    const shownId = someText(given['id']);
    if (shownId !== undefined) this.context.store?.keep(shownId, { ...response, output: output.flatMap(keptItem) });
    return out + this.sent('response.incomplete', { response });
  }

  private note(event: Fields, length: number): void {
    const sequence = someNumber(event['sequence_number']);
    if (sequence !== undefined) this.sequence = sequence;
    const type = asText(event['type']);
    const response = asFields(event['response']);
    if (response) {
      this.response = response;
      return;
    }
    const index = someNumber(event['output_index']);
    if (index === undefined) return;
    const item = asFields(event['item']);
    if (item) {
      this.keep(length);
      this.items.set(index, { item: { ...item }, open: type === 'response.output_item.done' ? null : [] });
      return;
    }
    const shown = this.items.get(index);
    if (!shown?.open) return;
    if (type !== 'response.output_text.annotation.added') return this.fill(shown, shown.open, event, length);
    this.keep(length);
    const part = partAt(shown.item, 'content', someNumber(event['content_index']) ?? 0);
    if (part) listIn(part, 'annotations').push(event['annotation']);
  }

  /** Records an event of a piece inside an item. */
  private fill(shown: ShownItem, open: readonly Piece[], event: Fields, length: number): void {
    const type = asText(event['type']);
    const name = type.slice(0, type.lastIndexOf('.'));
    const place = places[name];
    if (!place) return;
    const { list, field } = place;
    const index = list ? (someNumber(event[`${list}_index`]) ?? 0) : 0;
    const part = list ? asFields(event['part']) : null;
    if (part && list) putPart(shown.item, list, index, { ...part });
    const holder = list ? partAt(shown.item, list, index, place.part) : shown.item;
    if (!holder) return;
    if (type.endsWith('.done')) {
      if (!part && typeof event[field] === 'string') holder[field] = event[field];
      // The text of a part ends with the part.
      const isDone = (piece: Piece): boolean =>
        piece.index === index && (piece.name === name || (part !== null && piece.place.list === list));
      shown.open = open.filter((piece) => !isDone(piece));
      return;
    }
    if (!open.some((piece) => piece.name === name && piece.index === index)) {
      shown.open = [...open, { name, place, index, holder }];
    }
    const logprobs = asList(event['logprobs']);
    const delta = asText(event['delta']);
    this.keep(part || logprobs.length > 0 ? length : delta.length);
    if (part) return;
    holder[field] = asText(holder[field]) + delta;
    if (logprobs.length > 0) listIn(holder, 'logprobs').push(...logprobs);
  }

  private keep(length: number): void {
    this.kept += length;
    if (this.kept > keptLimit) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is too large');
  }

  private close(index: number, item: Json, open: readonly Piece[]): string {
    let out = '';
    // The text of a part ends before the part.
    for (const { name, place, index: at, holder } of open.toReversed()) {
      const { list, field } = place;
      out += this.sent(`${name}.done`, {
        item_id: item['id'],
        output_index: index,
        ...(list ? { [`${list}_index`]: at } : {}),
        ...(name === 'response.function_call_arguments' ? { name: item['name'] } : {}),
        [field]: field === 'part' ? holder : holder[field],
        ...(name === 'response.output_text' ? { logprobs: asList(holder['logprobs']) } : {}),
      });
    }
    if ('status' in item) item['status'] = failing.has(asText(item['type'])) ? 'failed' : 'incomplete';
    return out + this.sent('response.output_item.done', { output_index: index, item });
  }

  private sent(type: string, fields: Json): string {
    const numbered = this.sequence === null ? {} : { sequence_number: ++this.sequence };
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...numbered, ...fields })}\n\n`;
  }
}

/** Returns a list of an object. The list is added if it is missing. */
function listIn(holder: Json, name: string): unknown[] {
  const given = holder[name];
  if (Array.isArray(given)) return given as unknown[];
  const list: unknown[] = [];
  holder[name] = list;
  return list;
}

function putPart(item: Json, list: 'content' | 'summary', index: number, part: Json): void {
  const parts = listIn(item, list);
  // An index beyond the next one would make a list with holes.
  if (Number.isInteger(index) && index >= 0 && index <= parts.length) parts[index] = part;
}

/** @param otherwise the part that is added if there is none */
function partAt(item: Json, list: 'content' | 'summary', index: number, otherwise?: Json): Json | null {
  if (otherwise && asList(item[list]).length === index) putPart(item, list, index, { ...otherwise });
  return asFields(asList(item[list])[index]);
}

/**
 * Returns an item in the form in which a provider accepts it later: it does not store a response that it did not
 * complete, so it knows none of its ids.
 */
function keptItem(item: Json): Json[] {
  if (isMadeId(item['id'])) return [item];
  const { id: _id, ...rest } = item;
  return plainItems.has(someText(item['type']) ?? '') ? [rest] : [];
}
