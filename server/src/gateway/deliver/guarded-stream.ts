import type { StreamTransform } from '../../dialects/contract.js';
import type { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { StreamReader, StreamWriter } from '../../dialects/neutral/codec.js';
import type { NeutralEvent } from '../../dialects/neutral/event.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import type { CallGuard } from '../admit/guardrails/call-guard.js';

/** Characters at the end of a window that are held back, so that the window does not cut a match. */
const holdBack = 128;
/** Characters that are released at once when all checks are local. Remote checks are called less often. */
const localWindow = 64;
const remoteWindow = 800;
/** Characters. Longer matches are not waited for. */
const maxHeld = 16 * 1024;

/** Text of one kind that waits for its check. */
type TextEvent = Extract<NeutralEvent, { kind: 'text' | 'reasoning' | 'refusal' | 'toolDelta' }>;

interface Held {
  readonly key: string;
  readonly event: TextEvent;
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
    for (const event of events) {
      if (isText(event)) {
        const key = keyOf(event);
        passed.push(...(await this.releaseAll((held) => held.event.choice === event.choice && held.key !== key)));
        const held = this.hold(event, key);
        if (held.text.length >= this.window + holdBack) passed.push(...(await this.release(held, false)));
        continue;
      }
      // Log probabilities repeat the tokens of the text, and would show what was masked.
      if (event.kind === 'logprobs') continue;
      if ('choice' in event) passed.push(...(await this.releaseAll((held) => held.event.choice === event.choice)));
      passed.push(event);
    }
    return passed;
  }

  private hold(event: TextEvent, key: string): Held {
    let held = this.held.find((one) => one.key === key);
    if (!held) this.held.push((held = { key, event, text: '' }));
    held.text += event.text;
    return held;
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
    const { text, event } = held;
    const all = isWhole || text.length > maxHeld;
    const cut = all ? text.length : await this.guard.cutBefore(text, text.length - holdBack);
    if (cut === 0) return [];
    const [passed = ''] = await this.guard.apply([text.slice(0, cut)], 'output');
    held.text = text.slice(cut);
    return passed === '' ? [] : [{ ...event, text: passed }];
  }
}

const isText = (event: NeutralEvent): event is TextEvent =>
  event.kind === 'text' || event.kind === 'reasoning' || event.kind === 'refusal' || event.kind === 'toolDelta';

const keyOf = (event: TextEvent): string =>
  `${event.kind}:${event.choice}:${event.kind === 'toolDelta' ? event.index : ''}`;
