import type { CaptureRule } from '../../shared/capture-rule.js';
import { bodyTexts, withTexts } from '../../gateway/admit/guardrails/body-texts.js';
import type { CallGuard } from '../../gateway/admit/guardrails/call-guard.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';

/** Characters of a text that are held back, so that the end of a window does not cut a match. */
const holdBack = 128;
/** Characters that are released at once when all checks are local. Remote checks are called less often. */
const localWindow = 64;
const remoteWindow = 800;
/** Maximum characters of each side that are kept for a capture, which stores fewer. */
const maxKept = 128 * 1024;

/** Events of the client with texts for the model. */
const inputEvents: ReadonlySet<unknown> = new Set([
  ...['session.update', 'transcription_session.update', 'conversation.item.create', 'response.create'],
]);
const outputDeltas: ReadonlySet<unknown> = new Set([
  ...['response.output_text.delta', 'response.text.delta', 'response.function_call_arguments.delta'],
  ...['response.output_audio_transcript.delta', 'response.audio_transcript.delta'],
]);
const inputTranscript = 'conversation.item.input_audio_transcription.';
/** Events of the provider with a whole item of the conversation, of either side. */
const itemEvents: ReadonlySet<unknown> = new Set([
  ...['conversation.item.added', 'conversation.item.created', 'conversation.item.done', 'conversation.item.retrieved'],
]);
const inputRoles: ReadonlySet<unknown> = new Set(['user', 'system']);
/** Fields with audio as base64. */
const sound: ReadonlySet<string> = new Set(['audio']);

interface Held {
  readonly event: Fields;
  text: string;
}

/** Guardrails and capture of one session. Exists only if a rule or a capture concerns the caller. */
export class SessionWatch {
  private readonly held = new Map<string, Held>();
  private readonly input: string[] = [];
  private inputLength = 0;
  private output = '';

  constructor(
    private readonly guard: CallGuard | undefined,
    readonly capture: CaptureRule | undefined,
  ) {}

  get notes(): CallGuard['notes'] {
    return this.guard?.notes ?? [];
  }

  /** The texts for a capture. */
  get content(): { readonly input: readonly string[]; readonly output: string } {
    return { input: this.input, output: this.output };
  }

  /** Whether an event of the client has to pass `fromClient`. */
  concernsInput(event: Fields): boolean {
    return inputEvents.has(event['type']);
  }

  /**
   * Checks an event of the client with all guardrails for input.
   * @returns the event; the same object when nothing was masked
   * @throws AppError GUARDRAIL_BLOCKED, UnavailableError
   */
  async fromClient(event: Fields): Promise<Fields> {
    const texts = await bodyTexts(event, sound);
    const passed = this.guard?.checksInput ? await this.guard.apply(texts, 'input') : texts;
    for (const text of passed) this.keepInput(text);
    return passed === texts ? event : await withTexts(event, passed, sound);
  }

  /** Whether an event of the provider has to pass `fromUpstream`. */
  concernsOutput({ type }: Fields): boolean {
    if (typeof type !== 'string') return false;
    return outputDeltas.has(type) || type.startsWith(inputTranscript) || itemEvents.has(type) || isEnd(type);
  }

  /**
   * Checks an event of the provider with all guardrails for output.
   * @returns the events for the client; empty while a window is not full
   * @throws AppError GUARDRAIL_BLOCKED, UnavailableError
   */
  async fromUpstream(event: Fields): Promise<readonly Fields[]> {
    const type = String(event['type']);
    if (type.startsWith(inputTranscript)) return this.transcribed(event, type);
    if (itemEvents.has(type)) return [await this.item(event)];
    if (outputDeltas.has(type)) return this.delta(event);
    const passed = await this.releaseAll();
    if (type === 'response.done') this.output += '\n';
    if (!this.guard?.checksOutput) return [...passed, event];
    const texts = await bodyTexts(event, sound);
    const checked = await this.guard.apply(texts, 'output');
    return [...passed, checked === texts ? event : await withTexts(event, checked, sound)];
  }

  /**
   * Checks the user's speech as the provider transcribed it. Its parts are held back, because the whole text follows.
   */
  private async transcribed(event: Fields, type: string): Promise<readonly Fields[]> {
    const { transcript } = event;
    if (!type.endsWith('.completed') || typeof transcript !== 'string') {
      return this.guard?.checksInput && /\.(?:delta|segment)$/.test(type) ? [] : [event];
    }
    const texts = [transcript];
    const passed = this.guard?.checksInput ? await this.guard.apply(texts, 'input') : texts;
    this.keepInput(passed[0] ?? '');
    return [passed === texts ? event : { ...event, transcript: passed[0] }];
  }

  /** Checks an item. Its texts are input if the client wrote them, else output. */
  private async item(event: Fields): Promise<Fields> {
    const item = asFields(event['item']);
    const isInput = inputRoles.has(item?.['role']) || item?.['type'] === 'function_call_output';
    if (!item || !(isInput ? this.guard?.checksInput : this.guard?.checksOutput)) return event;
    const texts = await bodyTexts(item, sound);
    if (texts.length === 0) return event;
    const passed = (await this.guard?.apply(texts, isInput ? 'input' : 'output')) ?? texts;
    return passed === texts ? event : { ...event, item: await withTexts(item, passed, sound) };
  }

  private async delta(event: Fields): Promise<readonly Fields[]> {
    const { delta } = event;
    if (typeof delta !== 'string') return [event];
    if (!this.guard?.checksOutput) {
      this.keepOutput(delta);
      return [event];
    }
    const key = ['type', 'response_id', 'item_id', 'output_index', 'content_index']
      .map((name) => event[name])
      .join(' ');
    let held = this.held.get(key);
    if (!held) this.held.set(key, (held = { event, text: '' }));
    held.text += delta;
    const window = this.guard.asksOthers ? remoteWindow : localWindow;
    if (held.text.length < window + holdBack) return [];
    return this.release(held, await this.guard.cutBefore(held.text, held.text.length - holdBack));
  }

  private async releaseAll(): Promise<Fields[]> {
    const passed: Fields[] = [];
    for (const [key, held] of [...this.held]) {
      passed.push(...(await this.release(held, held.text.length)));
      this.held.delete(key);
    }
    return passed;
  }

  private async release(held: Held, cut: number): Promise<Fields[]> {
    if (cut === 0) return [];
    const [delta = ''] = (await this.guard?.apply([held.text.slice(0, cut)], 'output')) ?? [];
    held.text = held.text.slice(cut);
    this.keepOutput(delta);
    return delta === '' ? [] : [{ ...held.event, delta }];
  }

  private keepInput(text: string): void {
    if (!this.capture || this.inputLength > maxKept) return;
    this.inputLength += text.length;
    this.input.push(text);
  }

  private keepOutput(text: string): void {
    if (this.capture && this.output.length < maxKept) this.output += text;
  }
}

/** Whether an event repeats the texts of the deltas before it. */
const isEnd = (type: string): boolean => type.startsWith('response.') && type.endsWith('.done');

/** Returns the event in a frame, if it is a JSON object. */
export function eventIn(data: Buffer): Fields | null {
  try {
    return asFields(JSON.parse(data.toString()));
  } catch {
    return null;
  }
}
