import { AppError } from '../../../shared/errors.js';
import type { Usage } from '../../../shared/usage.js';
import { BlockSequencer, type Block, type BlockEvent } from '../../neutral/block-sequencer.js';
import type { AnswerContext, StreamWriter } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFieldsList, asList, type Fields, type Json } from '../../neutral/fields.js';
import type { FinishReason } from '../../neutral/finish-reason.js';
import { declaresResponsesSearch } from '../../neutral/web-search.js';
import { encryptedContent } from './thinking-signature.js';
import { ItemIds, responseId, responseObject, statusOf } from './response-object.js';
import {
  callItem,
  fromChatAnnotation,
  imageItem,
  messageItem,
  noArguments,
  reasoningItem,
  searchItem,
  textContent,
} from './responses-answer.js';
import { fromResponsesUsage } from './responses-usage.js';

interface OpenItem {
  readonly block: Block;
  readonly id: string;
  text: string;
  thinkingSignature?: string;
  readonly annotations: Fields[];
  readonly logprobs: unknown[];
}

/** Maximum characters kept of a response, because the last event repeats all of it. */
const keptLimit = 32 * 1024 * 1024;

/**
 * Writes the events of a response: each item is opened, filled and closed, and the last event repeats the whole
 * response.
 */
export class ResponsesStreamWriter implements StreamWriter {
  private readonly blocks = new BlockSequencer();
  private readonly ids: ItemIds;
  private readonly output: Json[] = [];
  private head: { id: string; created: number; model: string };
  private open: OpenItem | null = null;
  private started = false;
  private sequence = 0;
  private kept = 0;
  private finish: FinishReason = 'stop';
  /** Log probabilities of the next piece of text. */
  private logprobs: readonly unknown[] = [];
  /** Annotations that arrived while no text was open. */
  private readonly early: Fields[] = [];

  constructor(private readonly context: AnswerContext) {
    this.ids = new ItemIds(context.id);
    this.head = { id: responseId('', context), created: context.created, model: context.model };
  }

  push(events: readonly NeutralEvent[]): string {
    let out = '';
    for (const event of events) out += this.write(event);
    return out;
  }

  end(): string {
    const out = this.writeAll(this.blocks.finish());
    this.annotateLast();
    return out;
  }

  closing(usage: Usage): string {
    const begun = this.start();
    const status = statusOf(this.finish);
    const response = responseObject(this.head, this.context, {
      ...status,
      output: this.output,
      usage: fromResponsesUsage(usage),
    });
    this.context.store?.keep(this.head.id, response);
    return begun + this.sent(`response.${String(status['status'])}`, { response });
  }

  private write(event: NeutralEvent): string {
    if ('choice' in event && event.choice !== 0) return '';
    switch (event.kind) {
      case 'start':
        this.head = {
          id: responseId(event.id, this.context),
          created: event.created ?? this.head.created,
          model: event.model || this.head.model,
        };
        return this.start();
      case 'finish':
        this.finish = event.reason;
        return '';
      case 'usage':
      case 'error':
        return '';
      case 'search':
        return declaresResponsesSearch(this.context.body) ? this.search(event.query) : '';
      case 'annotation':
        return this.annotate(event.annotation);
      case 'logprobs':
        this.logprobs = [...this.logprobs, ...asList(event.logprobs['content'])];
        return '';
      case 'audio':
        return event.transcript ? this.write({ kind: 'text', choice: 0, text: event.transcript }) : '';
      default: {
        const begun = this.start();
        return begun + this.writeAll(this.blocks.push(event));
      }
    }
  }

  private start(): string {
    if (this.started) return '';
    this.started = true;
    const response = responseObject(this.head, this.context, {});
    // The response repeats the instructions and the tools of the request, so it is written once for both events.
    const fields = textOf({ response });
    return this.event('response.created', fields) + this.event('response.in_progress', fields);
  }

  private writeAll(events: readonly BlockEvent[]): string {
    let out = '';
    for (const event of events) {
      if (event.kind === 'open') out += this.openItem(event.block);
      else if (event.kind === 'delta') out += this.fill(event.text);
      else if (event.kind === 'signature') {
        if (this.open) this.open.thinkingSignature = event.signature;
      } else out += this.closeItem();
    }
    return out;
  }

  private openItem(block: Block): string {
    const thinkingSignature =
      block.kind === 'tool' && block.signature !== undefined
        ? this.whole(reasoningItem(this.ids.next('rs'), '', block.signature))
        : '';
    const id = this.ids.next(prefixOf(block));
    this.open = { block, id, text: '', annotations: [], logprobs: [] };
    const at = { output_index: this.output.length };
    switch (block.kind) {
      case 'text':
      case 'refusal': {
        const part = block.kind === 'text' ? textContent('', []) : { type: 'refusal', refusal: '' };
        const item = { ...messageItem(id, part), status: 'in_progress', content: [] };
        return (
          this.sent('response.output_item.added', { ...at, item }) +
          this.sent('response.content_part.added', { ...this.where(), content_index: 0, part }) +
          this.annotateEarly()
        );
      }
      case 'reasoning':
        return this.sent('response.output_item.added', { ...at, item: reasoningItem(id, '', undefined) });
      case 'tool':
        return (
          thinkingSignature +
          this.sent('response.output_item.added', {
            output_index: this.output.length,
            item: callItem(id, block, '', 'in_progress'),
          })
        );
      case 'image':
      case 'redacted':
        return '';
    }
  }

  private fill(text: string): string {
    const { open } = this;
    if (!open) return '';
    this.kept += text.length;
    if (this.kept > keptLimit) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is too large');
    const first = open.text === '';
    open.text += text;
    const delta = { ...this.where(), delta: text };
    switch (open.block.kind) {
      case 'text':
        return this.sent('response.output_text.delta', {
          ...delta,
          content_index: 0,
          logprobs: this.takeLogprobs(open),
        });
      case 'refusal':
        return this.sent('response.refusal.delta', { ...delta, content_index: 0 });
      case 'reasoning': {
        const part = { type: 'summary_text', text: '' };
        const added = first
          ? this.sent('response.reasoning_summary_part.added', { ...this.where(), summary_index: 0, part })
          : '';
        return added + this.sent('response.reasoning_summary_text.delta', { ...delta, summary_index: 0 });
      }
      case 'tool':
        return this.sent(
          open.block.custom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta',
          delta,
        );
      default:
        return '';
    }
  }

  private closeItem(): string {
    const { open } = this;
    if (!open) return '';
    const { block, id } = open;
    let out = '';
    // A call without arguments: clients parse them as JSON.
    if (block.kind === 'tool' && !block.custom && open.text === '') out += this.fill(noArguments);
    const { text } = open;
    let item: Json;
    switch (block.kind) {
      case 'text': {
        this.takeLogprobs(open);
        const { logprobs } = open;
        const part = textContent(text, open.annotations, logprobs);
        out += this.sent('response.output_text.done', { ...this.where(), content_index: 0, text, logprobs });
        out += this.sent('response.content_part.done', { ...this.where(), content_index: 0, part });
        item = messageItem(id, part);
        break;
      }
      case 'refusal': {
        const part = { type: 'refusal', refusal: text };
        out += this.sent('response.refusal.done', { ...this.where(), content_index: 0, refusal: text });
        out += this.sent('response.content_part.done', { ...this.where(), content_index: 0, part });
        item = messageItem(id, part);
        break;
      }
      case 'reasoning':
        out += this.closeThought(text);
        item = reasoningItem(id, text, open.thinkingSignature);
        break;
      case 'tool':
        out += block.custom
          ? this.sent('response.custom_tool_call_input.done', { ...this.where(), input: text })
          : this.sent('response.function_call_arguments.done', { ...this.where(), name: block.name, arguments: text });
        item = callItem(id, block, text);
        break;
      case 'redacted':
        this.open = null;
        return this.whole(reasoningItem(id, '', encryptedContent({ redacted: block.data })));
      case 'image':
        this.open = null;
        return this.whole(imageItem(id, block));
    }
    out += this.sent('response.output_item.done', { output_index: this.output.length, item });
    this.output.push(item);
    this.open = null;
    return out;
  }

  private takeLogprobs(open: OpenItem): readonly unknown[] {
    const taken = this.logprobs;
    if (taken.length === 0) return taken;
    this.logprobs = [];
    for (const each of taken) open.logprobs.push(each);
    this.kept += JSON.stringify(taken).length;
    return taken;
  }

  private closeThought(text: string): string {
    if (text === '') return '';
    const at = { ...this.where(), summary_index: 0 };
    return (
      this.sent('response.reasoning_summary_text.done', { ...at, text }) +
      this.sent('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } })
    );
  }

  /** Writes a search. The item before it is complete, because a provider that searches in the middle begins a new text. */
  private search(query: string): string {
    return this.start() + this.writeAll(this.blocks.finish()) + this.whole(searchItem(this.ids.next('ws'), query));
  }

  /** Writes an item that arrives complete. */
  private whole(item: Json): string {
    const at = { output_index: this.output.length, item };
    this.output.push(item);
    return this.sent('response.output_item.added', at) + this.sent('response.output_item.done', at);
  }

  /** Claude sends citations before the text that they belong to, so they are kept until a text is open. */
  private annotate(annotation: Fields): string {
    if (this.open?.block.kind !== 'text') {
      this.early.push(annotation);
      return '';
    }
    this.open.annotations.push(annotation);
    return this.sent('response.output_text.annotation.added', {
      ...this.where(),
      content_index: 0,
      annotation_index: this.open.annotations.length - 1,
      annotation: fromChatAnnotation(annotation),
    });
  }

  private annotateEarly(): string {
    if (this.open?.block.kind !== 'text') return '';
    return this.early
      .splice(0)
      .map((annotation) => this.annotate(annotation))
      .join('');
  }

  /**
   * Attaches annotations to the last text, because no text followed. Its item is complete, so only the whole response
   * in the last event contains them.
   */
  private annotateLast(): void {
    const last = this.output.findLast(({ type }) => type === 'message');
    const [part] = asFieldsList(last?.['content']);
    if (!last || !part || part['type'] !== 'output_text' || this.early.length === 0) return;
    const annotations = [...asList(part['annotations']), ...this.early.splice(0).map(fromChatAnnotation)];
    this.output[this.output.indexOf(last)] = { ...last, content: [{ ...part, annotations }] };
  }

  private where(): Json {
    return { item_id: this.open?.id, output_index: this.output.length };
  }

  private sent(type: string, fields: Json): string {
    return this.event(type, textOf(fields));
  }

  /** @param fields their JSON without braces */
  private event(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.sequence++},${fields}}\n\n`;
  }
}

const textOf = (fields: Json): string => JSON.stringify(fields).slice(1, -1);

const prefixOf = (block: Block): string =>
  block.kind === 'tool' && block.custom ? 'ctc' : (prefixes[block.kind] ?? 'msg');
const prefixes: Partial<Record<Block['kind'], string>> = { reasoning: 'rs', redacted: 'rs', image: 'ig', tool: 'fc' };
