import { randomInt } from 'node:crypto';
import { textsAtOnce } from '../../gateway/admit/guardrails/body-texts.js';
import { encodingOf, estimateTokens, loadEncoding, loadedEncoding } from '../../gateway/reserve/metering/text-meter.js';
import { asFields, asFieldsList, type Fields } from '../../dialects/neutral/fields.js';
import { rateOf, type SessionSettings } from './session-settings.js';
import { inputOf, outputOf, type ChargedAudio, type ReadTokens } from './session-price.js';

/**
 * Characters. Of longer texts, several random pieces of this total length are counted, so that counting does not delay
 * other sessions.
 */
const maxCounted = 20_000;
const samplePieces = 8;
const pieceCharacters = 2_000;
/** MCP servers of a session whose tools are counted apart. Further ones count as one. */
const maxServers = 100;
/** Tokens of an image of medium size. */
const imageTokens = 1500;
const noNames: ReadonlySet<string> = new Set(['audio', 'event_id', 'image_url']);

/** Milliseconds after which a provider has noticed speech in audio. It drops audio without speech. */
const detectionMilliseconds = 5000;
/** Audio is remembered in parts of this duration. */
const partMilliseconds = 100;

/** Content that was added to a conversation. */
export interface Mark {
  readonly text: number;
  readonly seconds: number;
}

/** The output of a response so far. */
export interface Heard {
  text: number;
  seconds: number;
}

/**
 * Counts the tokens that a response reads and generates: for its reservation, for providers that report none and for
 * interrupted responses (docs/reference/relay/token-counting.md#realtime-estimate). Keeps totals only, no content.
 */
export class ResponseEstimate {
  /** Tokens of the conversation at the last report. */
  private known: ReadTokens = { text: 0, audio: 0 };
  /** Text tokens since the last report. */
  private text = 0;
  private seconds = 0;
  /** Seconds of audio that are not yet an item of the conversation. */
  private uncommitted = 0;
  /** The part of it in which the provider may still find speech, in the order in which it was sent. */
  private unheard: Array<{ readonly at: number; seconds: number }> = [];
  /** Seconds of audio since the last transcript. */
  private sent = 0;
  private instructions = 0;
  private tools = 0;
  /** Tokens of the tools that MCP servers have, by their labels. */
  private readonly remoteTools = new Map<string, number>();
  private outputRate = rateOf(undefined);

  constructor(
    private readonly model: string,
    private readonly settings: Pick<SessionSettings, 'inputRate' | 'keptSilence'>,
  ) {
    void loadEncoding(encodingOf(model)).catch(() => undefined);
  }

  /** Counts an event of the client. */
  fromClient(event: Fields): void {
    const { type } = event;
    if (type === 'session.update') {
      const session = fieldsOf(event['session']);
      const instructions = this.count(session['instructions']);
      // The provider may refuse the update, so that the instructions before it still apply.
      this.instructions = Math.max(this.instructions, instructions);
      this.text += instructions;
      this.readTools(session);
    } else if (type === 'input_audio_buffer.append') {
      this.append(decodedLength(event['audio']) / this.settings.inputRate, this.settings.keptSilence);
    } else if (type === 'conversation.item.create') {
      const { text, seconds } = this.contentOf(event['item']);
      this.text += text;
      this.seconds += seconds;
      this.sent += seconds;
    }
  }

  private append(seconds: number, keptSilence: number): void {
    this.sent += seconds;
    this.seconds += seconds;
    this.uncommitted += seconds;
    if (keptSilence === Infinity) {
      this.unheard = [];
      return;
    }
    const now = performance.now();
    const last = this.unheard.at(-1);
    if (last && now - last.at < partMilliseconds) last.seconds += seconds;
    else this.unheard.push({ at: now, seconds });
    this.dropSilence(now, keptSilence);
  }

  /** Removes audio in which the provider found no speech, except the last seconds, which it keeps. */
  private dropSilence(now: number, keptSilence: number): void {
    let silence = 0;
    for (let first = this.unheard[0]; first && now - first.at > detectionMilliseconds; [first] = this.unheard) {
      silence += first.seconds;
      this.unheard.shift();
    }
    const dropped = Math.min(silence, Math.max(0, this.uncommitted - keptSilence));
    this.seconds -= dropped;
    this.uncommitted -= dropped;
  }

  /**
   * Counts an event of the provider.
   * @param output of the response that the event is part of
   */
  fromUpstream(event: Fields, output: Heard | null): void {
    switch (event['type']) {
      case 'session.created':
      case 'session.updated':
      case 'transcription_session.updated':
        this.readSession(fieldsOf(event['session']));
        break;
      // The older version of the API has one event for an item, the newer one has several, of which the last is whole.
      case 'conversation.item.created':
      case 'conversation.item.done':
        this.readRemote(fieldsOf(event['item']));
        break;
      case 'input_audio_buffer.speech_started':
        this.unheard = [];
        break;
      case 'input_audio_buffer.committed':
        this.uncommitted = 0;
        break;
      case 'input_audio_buffer.cleared':
        this.seconds -= this.uncommitted;
        this.uncommitted = 0;
        break;
      case 'response.audio.delta':
      case 'response.output_audio.delta':
        if (output) output.seconds += decodedLength(event['delta']) / this.outputRate;
        break;
      case 'response.audio_transcript.delta':
      case 'response.output_audio_transcript.delta':
      case 'response.function_call_arguments.delta':
      case 'response.text.delta':
      case 'response.output_text.delta':
        if (output) output.text += this.count(event['delta']);
        break;
    }
  }

  /** Seconds of audio that the client sent since the last transcript. */
  get sentSeconds(): number {
    return this.sent;
  }

  /** Starts counting seconds for the next transcript. */
  endTranscript(): void {
    this.sent = 0;
  }

  /** The tokens that a response reads when it continues the conversation. */
  get conversation(): ReadTokens {
    return { text: this.known.text + this.text, audio: this.known.audio + inputTokens(this.seconds) };
  }

  /** Tokens of the text that every response reads. */
  private get fixedText(): number {
    return [...this.remoteTools.values()].reduce((sum, each) => sum + each, this.instructions + this.tools);
  }

  /** Returns the tokens that the response to a `response.create` reads. */
  readBy(response: Fields): ReadTokens {
    const { input } = response;
    const context = isApart(response) ? { text: this.fixedText, audio: 0 } : this.conversation;
    const own = this.contentOf([input, response['instructions'], response['prompt'], response['tools']]);
    return { text: context.text + own.text, audio: context.audio + inputTokens(own.seconds) };
  }

  /** Removes an event of the client that was not sent to the provider. */
  withdraw(before: Mark): void {
    this.text = Math.min(this.text, before.text);
    const withdrawn = Math.max(0, this.seconds - before.seconds);
    this.uncommitted = Math.max(0, this.uncommitted - withdrawn);
    const last = this.unheard.at(-1);
    if (last) last.seconds = Math.max(0, last.seconds - withdrawn);
    this.seconds -= withdrawn;
  }

  /** Returns the input of a response that begins now. Later input belongs to the next response. */
  mark(): Mark {
    return { text: this.text, seconds: this.seconds };
  }

  /** Records the end of a response in the conversation. Its reported input and output are the whole conversation. */
  ended(usage: ChargedAudio, since: Mark): void {
    if (inputOf(usage) + outputOf(usage) === 0) return;
    const { textInputTokens, textOutputTokens, audioInputTokens, audioOutputTokens } = usage;
    this.known = { text: textInputTokens + textOutputTokens, audio: audioInputTokens + audioOutputTokens };
    this.text = Math.max(0, this.text - since.text);
    this.seconds = Math.max(0, this.seconds - since.seconds);
    this.uncommitted = Math.min(this.uncommitted, this.seconds);
  }

  /** Adds the output of a response that did not read the conversation. */
  endedApart({ textOutputTokens, audioOutputTokens }: ChargedAudio): void {
    this.known = { text: this.known.text + textOutputTokens, audio: this.known.audio + audioOutputTokens };
  }

  private readSession(session: Fields): void {
    // Older sessions have the formats at the top level, newer ones under `audio`.
    const audio = fieldsOf(session['audio']);
    this.outputRate = rateOf(session['output_audio_format'] ?? fieldsOf(audio['output'])['format']);
    this.readTools(session);
  }

  /** Counts the tools of a session. Fewer tools may be refused by the provider, so the number never falls. */
  private readTools(session: Fields): void {
    const tools = Array.isArray(session['tools']) ? (session['tools'] as unknown[]) : [];
    const counted = tools.reduce<number>((sum, tool) => sum + 8 + this.count(JSON.stringify(tool)), 0);
    this.text += Math.max(0, counted - this.tools);
    this.tools = Math.max(this.tools, counted);
  }

  /** Counts what an MCP server adds to the conversation: its tools, and the output of a call. */
  private readRemote({ type, server_label: label, tools, output }: Fields): void {
    if (type === 'mcp_call') this.text += this.count(output);
    if (type !== 'mcp_list_tools' || !Array.isArray(tools)) return;
    const counted = this.count(JSON.stringify(tools));
    const own = String(label).slice(0, 100);
    const name = this.remoteTools.has(own) || this.remoteTools.size < maxServers ? own : '';
    const known = this.remoteTools.get(name) ?? 0;
    this.text += Math.max(0, counted - known);
    this.remoteTools.set(name, Math.max(counted, known));
  }

  /** Counts texts, audio and images at any depth. */
  private contentOf(value: unknown): Mark {
    let text = 0;
    for (const each of textsAtOnce(value, noNames)) text += this.count(each);
    const media = mediaOf(value, 0);
    return { text: text + media.images * imageTokens, seconds: media.bytes / this.settings.inputRate };
  }

  private count(text: unknown): number {
    if (typeof text !== 'string' || text === '') return 0;
    const encoding = loadedEncoding(encodingOf(this.model));
    if (!encoding) return estimateTokens(Buffer.byteLength(text));
    if (text.length <= maxCounted) return encoding(text);
    const stride = Math.floor(text.length / samplePieces);
    let tokens = 0;
    // The pieces are at random positions, so that a client cannot choose text that is counted as less than it is.
    for (let piece = 0; piece < samplePieces; piece++) {
      const at = piece * stride + randomInt(Math.max(1, stride - pieceCharacters));
      tokens += encoding(text.slice(at, at + pieceCharacters));
    }
    return Math.ceil((tokens * text.length) / (samplePieces * pieceCharacters));
  }
}

/** Whether a response has an input of its own and does not read the conversation. A reference reads a part of it. */
export function isApart({ input }: Fields): boolean {
  return Array.isArray(input) && !input.some((item) => fieldsOf(item)['type'] === 'item_reference');
}

/** Whether a response names MCP servers, whose tools it reads. */
export const namesServers = ({ tools }: Fields): boolean => asFieldsList(tools).some(({ type }) => type === 'mcp');

export const inputTokens = (seconds: number): number => Math.trunc((seconds / 60) * (100 / 0.06));
export const outputTokens = (seconds: number): number => Math.trunc((seconds / 60) * (200 / 0.24));

const fieldsOf = (value: unknown): Fields => asFields(value) ?? {};
const maxDepth = 8;

/** Counts the bytes of audio and the number of images in items. */
function mediaOf(value: unknown, depth: number): { readonly bytes: number; readonly images: number } {
  let [bytes, images] = [0, 0];
  if (typeof value !== 'object' || value === null || depth > maxDepth) return { bytes, images };
  const { type, audio } = value as Fields;
  if (type === 'input_audio') bytes += decodedLength(audio);
  if (type === 'input_image') images++;
  for (const entry of Object.values(value)) {
    const below = mediaOf(entry, depth + 1);
    bytes += below.bytes;
    images += below.images;
  }
  return { bytes, images };
}

/** Returns the decoded length of base64 text in bytes, without decoding it. */
function decodedLength(audio: unknown): number {
  if (typeof audio !== 'string') return 0;
  const padding = audio.endsWith('==') ? 2 : audio.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((audio.length * 3) / 4) - padding);
}
