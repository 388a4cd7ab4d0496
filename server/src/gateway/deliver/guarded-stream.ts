import type { StreamTransform } from '../../dialects/contract.js';
import type { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { StreamReader, StreamWriter } from '../../dialects/neutral/codec.js';
import type { NeutralEvent } from '../../dialects/neutral/event.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import { textsAtOnce, withTexts } from '../admit/guardrails/body-texts.js';
import type { CallGuard } from '../admit/guardrails/call-guard.js';

/** Characters at the end of a window that are held back, so that the window does not cut a match. */
const holdBack = 128;
/** Characters that are released at once when all checks are local. Remote checks are called less often. */
const localWindow = 64;
const remoteWindow = 800;
/** Characters. Longer matches are not waited for. */
const maxHeld = 16 * 1024;

/** A piece of a text that comes in pieces. */
interface Piece {
  readonly choice: number;
  /** Pieces of the same text have the same key. */
  readonly key: string;
  readonly text: string;
  /** Returns the event with a checked text in place of the piece's. */
  readonly with: (text: string) => NeutralEvent;
}

/** Text of one kind that waits for its check. */
interface Held {
  readonly piece: Piece;
  text: string;
}

/**
 * A stream in the client's dialect that is read, checked in windows and written again. The client gets a window when every
 * rule has passed it.
 */
export class GuardedStream {
  private readonly parser = new EventParser();
  private readonly held: Held[] = [];
  private readonly window: number;
  /** Why the provider could not serve the call, if its last event says so. */
  failure: UpstreamError | null = null;

  /** @param reader reads the dialect that `inner` writes */
  constructor(
    readonly inner: StreamTransform,
    private readonly reader: StreamReader,
    private readonly writer: StreamWriter,
    private readonly guard: CallGuard,
  ) {
    this.window = guard.asksOthers ? remoteWindow : localWindow;
  }

  /** @throws AppError GUARDRAIL_BLOCKED, UnavailableError */
  async push(bytes: Buffer): Promise<string> {
    return this.written(await this.checked(this.read(this.inner.push(bytes))));
  }

  /**
   * Returns the remaining output, after the provider's end. The final events follow from `closing`.
   * @throws like `push`
   */
  async finish(): Promise<string> {
    const events = this.read(this.inner.closing(this.inner.usage() ?? noUsage));
    const passed = [...(await this.checked(events)), ...(await this.releaseAll(() => true))];
    return this.written(passed) + (this.failure ? '' : this.writer.end());
  }

  /**
   * Takes the provider's end, before `finish`.
   * @throws like `push`
   */
  async end(): Promise<string> {
    return this.written(await this.checked(this.read(this.inner.end())));
  }

  closing(usage: Usage): string {
    return this.writer.closing(usage);
  }

  private read(said: Buffer | string | null): NeutralEvent[] {
    if (said === null) return [];
    return this.parser
      .push(typeof said === 'string' ? Buffer.from(said) : said)
      .flatMap((event) => this.reader.push(event))
      .filter((event) => {
        if (event.kind === 'error') this.failure ??= event.error;
        return event.kind !== 'error';
      });
  }

  private written(events: readonly NeutralEvent[]): string {
    return events.length === 0 ? '' : this.writer.push(events);
  }

  private async checked(events: readonly NeutralEvent[]): Promise<NeutralEvent[]> {
    const passed: NeutralEvent[] = [];
    // A text may go on after its source, so that the text is not released here.
    const sources = [...(await this.checkedSources(events.filter(isSource)))];
    for (const event of events) {
      const piece = pieceIn(event);
      if (piece) {
        passed.push(...soundOf(event), ...(await this.take(piece)));
        continue;
      }
      // Log probabilities repeat the tokens of the text, and would show what was masked.
      if (event.kind === 'logprobs') continue;
      if (isSource(event)) {
        const source = sources.shift();
        if (!source) throw new Error('a source was not checked');
        passed.push(source);
        continue;
      }
      // Sound may come between two pieces of its transcript.
      if ('choice' in event && event.kind !== 'audio')
        passed.push(...(await this.releaseAll(({ piece: { choice } }) => choice === event.choice)));
      passed.push(event);
    }
    return passed;
  }

  private async take(piece: Piece): Promise<NeutralEvent[]> {
    const { choice, key, text } = piece;
    const passed = await this.releaseAll((held) => held.piece.choice === choice && held.piece.key !== key);
    let held = this.held.find((one) => one.piece.key === key);
    if (!held) this.held.push((held = { piece, text: '' }));
    held.text += text;
    if (held.text.length >= this.window + holdBack) passed.push(...(await this.release(held, false)));
    return passed;
  }

  /** Checks queries and the texts of sources, which come whole, all of them at once. */
  private async checkedSources(sources: readonly Source[]): Promise<readonly Source[]> {
    if (sources.length === 0) return sources;
    const texts = textsAtOnce(sources, names);
    const passed = await this.guard.apply(texts, 'output');
    return passed === texts ? sources : withTexts(sources, passed, names);
  }

  private async releaseAll(which: (held: Held) => boolean): Promise<NeutralEvent[]> {
    const passed: NeutralEvent[] = [];
    for (const held of this.held.filter(which)) {
      passed.push(...(await this.release(held, true)));
      this.held.splice(this.held.indexOf(held), 1);
    }
    return passed;
  }

  private async release(held: Held, isWhole: boolean): Promise<NeutralEvent[]> {
    const { text, piece } = held;
    const all = isWhole || text.length > maxHeld;
    const cut = all ? text.length : await this.guard.cutBefore(text, text.length - holdBack);
    if (cut === 0) return [];
    const [passed = ''] = await this.guard.apply([text.slice(0, cut)], 'output');
    held.text = text.slice(cut);
    return passed === '' ? [] : [piece.with(passed)];
  }
}

/** A query or a page of a search. */
type Source = Extract<NeutralEvent, { kind: 'search' | 'annotation' }>;

const isSource = (event: NeutralEvent): event is Source => event.kind === 'search' || event.kind === 'annotation';

/** Fields of an event that hold no text. */
const names: ReadonlySet<string> = new Set(['kind']);

function pieceIn(event: NeutralEvent): Piece | null {
  switch (event.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
    case 'toolDelta': {
      const { kind, choice, text } = event;
      const key = `${kind}:${choice}:${kind === 'toolDelta' ? event.index : ''}`;
      return { choice, key, text, with: (checked) => ({ ...event, text: checked }) };
    }
    case 'audio': {
      const { kind, choice, transcript } = event;
      if (transcript === undefined) return null;
      return {
        choice,
        key: `${kind}:${choice}:`,
        text: transcript,
        with: (checked) => ({ kind, choice, transcript: checked }),
      };
    }
    default:
      return null;
  }
}

/** The sound of an event that also has a transcript. It does not wait. */
function soundOf(event: NeutralEvent): NeutralEvent[] {
  if (event.kind !== 'audio') return [];
  const { transcript: _transcript, ...sound } = event;
  return sound.id === undefined && sound.data === undefined && sound.expiresAt === undefined ? [] : [sound];
}
