import { AppError } from '../../shared/errors.js';
import type { NeutralEvent } from './event.js';

/** One block of a response, in dialects whose blocks are sequential and never interleaved. */
export type Block =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'redacted'; readonly data: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly data: string; readonly signature?: string }
  | {
      readonly kind: 'tool';
      readonly id: string;
      readonly name: string;
      readonly custom: boolean;
      readonly namespace?: string;
      readonly signature?: string;
    };

export type BlockEvent =
  | { readonly kind: 'open'; readonly block: Block }
  | { readonly kind: 'delta'; readonly block: Block; readonly text: string }
  | { readonly kind: 'signature'; readonly block: Block; readonly signature: string }
  | { readonly kind: 'close'; readonly block: Block };

interface Pending {
  readonly block: Block;
  /** Content that arrived before the block could be opened. */
  waiting: string[];
  signature: string | null;
  /** Detects the end of a tool's arguments, for providers that do not mark it. */
  readonly progress: JsonProgress | null;
  opened: boolean;
  ended: boolean;
}

/** Maximum number of buffered characters; no real provider sends one call's arguments that far ahead of another's. */
const waitingLimit = 8 * 1024 * 1024;

/**
 * Converts events that may interleave into sequential blocks. The first block is open, later ones wait. A block is
 * closed when it can get no more content: text when another block begins, a tool call when its arguments are complete.
 */
export class BlockSequencer {
  private readonly queue: Pending[] = [];
  private readonly tools = new Map<number, Pending>();
  private waitingLength = 0;

  /** @throws AppError UPSTREAM_INVALID_RESPONSE when too much has to be buffered */
  push(event: NeutralEvent): BlockEvent[] {
    const out: BlockEvent[] = [];
    switch (event.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        if (event.text !== '') this.append(this.tailOf(event.kind, out), event.text, out);
        break;
      case 'signature':
        // Text has no field for a thinking signature, so an empty thought after it carries the signature.
        this.sign(this.tailOf('reasoning', out), event.signature, out);
        break;
      case 'redacted':
        this.add({ kind: 'redacted', data: event.data }, out).ended = true;
        break;
      case 'image':
        this.add(
          { kind: 'image', mediaType: event.mediaType, data: event.data, signature: event.signature },
          out,
        ).ended = true;
        break;
      case 'toolStart': {
        const { id, name, custom = false, namespace, signature } = event;
        this.tools.set(event.index, this.add({ kind: 'tool', id, name, custom, namespace, signature }, out));
        break;
      }
      case 'toolDelta': {
        const tool = this.tools.get(event.index);
        if (tool) this.append(tool, event.text, out);
        break;
      }
      case 'toolEnd': {
        const tool = this.tools.get(event.index);
        if (tool) tool.ended = true;
        break;
      }
      default:
        return out;
    }
    this.advance(out);
    return out;
  }

  /** Closes every open or waiting block. */
  finish(): BlockEvent[] {
    const out: BlockEvent[] = [];
    for (const pending of this.queue) pending.ended = true;
    this.advance(out);
    return out;
  }

  private tailOf(kind: 'text' | 'reasoning' | 'refusal', out: BlockEvent[]): Pending {
    const tail = this.queue.at(-1);
    if (tail && tail.block.kind === kind && !tail.ended && tail.signature === null) return tail;
    return this.add({ kind }, out);
  }

  private add(block: Block, out: BlockEvent[]): Pending {
    const progress = block.kind === 'tool' && !block.custom ? new JsonProgress() : null;
    const pending: Pending = { block, waiting: [], signature: null, progress, opened: false, ended: false };
    const tail = this.queue.at(-1);
    if (tail && tail.block.kind !== 'tool') tail.ended = true;
    this.queue.push(pending);
    this.advance(out);
    return pending;
  }

  private append(pending: Pending, text: string, out: BlockEvent[]): void {
    if (pending.ended || text === '') return;
    pending.progress?.push(text);
    if (pending.opened) {
      out.push({ kind: 'delta', block: pending.block, text });
      return;
    }
    pending.waiting.push(text);
    this.waitingLength += text.length;
    if (this.waitingLength > waitingLimit) {
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream interleaves too many tool calls');
    }
  }

  private sign(pending: Pending, signature: string, out: BlockEvent[]): void {
    pending.signature = signature;
    if (pending.opened) out.push({ kind: 'signature', block: pending.block, signature });
  }

  /** Opens the first block; when it is complete, closes it and continues with the next. */
  private advance(out: BlockEvent[]): void {
    for (let head = this.queue[0]; head; head = this.queue[0]) {
      if (!head.opened) this.open(head, out);
      const overtaken = this.queue.length > 1 && head.progress?.whole === true;
      if (!head.ended && !overtaken) return;
      head.ended = true;
      out.push({ kind: 'close', block: head.block });
      this.queue.shift();
    }
  }

  private open(pending: Pending, out: BlockEvent[]): void {
    const { block, waiting, signature } = pending;
    pending.opened = true;
    out.push({ kind: 'open', block });
    for (const text of waiting) {
      this.waitingLength -= text.length;
      out.push({ kind: 'delta', block, text });
    }
    pending.waiting = [];
    if (signature !== null) out.push({ kind: 'signature', block, signature });
  }
}

/** Detects when a JSON object that arrives in pieces is complete, in constant memory. */
export class JsonProgress {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private begun = false;

  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) this.step(piece.charCodeAt(at));
  }

  /** Whether every bracket that was opened is closed. An empty text is not complete. */
  get whole(): boolean {
    return this.begun && this.depth === 0 && !this.inText;
  }

  private step(code: number): void {
    if (this.inText) {
      if (this.escaped) this.escaped = false;
      else if (code === 0x5c) this.escaped = true;
      else if (code === 0x22) this.inText = false;
      return;
    }
    if (code === 0x22) {
      this.inText = true;
      this.begun = true;
    } else if (code === 0x7b || code === 0x5b) {
      this.depth++;
      this.begun = true;
    } else if (code === 0x7d || code === 0x5d) this.depth--;
  }
}
