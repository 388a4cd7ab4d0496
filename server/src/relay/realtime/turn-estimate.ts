import { encodingOf, estimateTokens, loadEncoding, loadedEncoding } from '../metering/text-meter.js';
import { noAudio, type ChargedAudio } from './session-price.js';
import { asFields, type Fields } from '../neutral/fields.js';

const pcmBytesPerSecond = 48_000;
const narrowBytesPerSecond = 8_000;
/** Longer texts are estimated by their length, so that counting does not delay other sessions. Characters. */
const maxCounted = 20_000;

/**
 * Counts the tokens of a turn, for providers that report none and for interrupted turns
 * (docs/reference/relay/token-counting.md#realtime-estimate). Keeps totals only, no content.
 */
export class TurnEstimate {
  private inputSeconds = 0;
  private outputSeconds = 0;
  private inputText = 0;
  private outputText = 0;
  private inputRate = pcmBytesPerSecond;
  private outputRate = pcmBytesPerSecond;
  private toolText = 0;
  private isFirst = true;

  constructor(private readonly model: string) {
    void loadEncoding(encodingOf(model)).catch(() => undefined);
  }

  /** Whether any content of this turn was forwarded. */
  get hasOutput(): boolean {
    return this.inputText + this.outputText + this.inputSeconds + this.outputSeconds > 0;
  }

  /** Counts an event of the client. */
  fromClient(event: Fields): void {
    const { type } = event;
    if (type === 'session.update') {
      const session = fieldsOf(event['session']);
      this.inputText += this.count(session['instructions']);
    } else if (type === 'input_audio_buffer.append') {
      this.inputSeconds += decodedLength(event['audio']) / this.inputRate;
    } else if (type === 'conversation.item.create') {
      const { content } = fieldsOf(event['item']);
      for (const part of Array.isArray(content) ? (content as unknown[]) : []) {
        const { type: kind, text, audio } = fieldsOf(part);
        if (kind === 'input_text') this.inputText += this.count(text);
        if (kind === 'input_audio') this.inputSeconds += decodedLength(audio) / this.inputRate;
      }
    }
  }

  /** Counts an event of the provider. */
  fromUpstream(event: Fields): void {
    switch (event['type']) {
      case 'session.created':
      case 'session.updated':
      case 'transcription_session.updated':
        this.readSession(fieldsOf(event['session']));
        break;
      case 'response.audio.delta':
      case 'response.output_audio.delta':
        this.outputSeconds += decodedLength(event['delta']) / this.outputRate;
        break;
      case 'response.audio_transcript.delta':
      case 'response.output_audio_transcript.delta':
      case 'response.function_call_arguments.delta':
      case 'response.text.delta':
      case 'response.output_text.delta':
        this.outputText += this.count(event['delta']);
        break;
    }
  }

  /** Seconds of audio that the client sent in this turn. */
  get sentSeconds(): number {
    return this.inputSeconds;
  }

  /** Ends the turn: returns its usage and resets the counters. */
  take(): ChargedAudio {
    const turn: ChargedAudio = {
      textInputTokens: this.inputText + (this.isFirst ? 0 : this.toolText),
      textOutputTokens: this.outputText,
      audioInputTokens: Math.trunc((this.inputSeconds / 60) * (100 / 0.06)),
      audioOutputTokens: Math.trunc((this.outputSeconds / 60) * (200 / 0.24)),
    };
    const hadOutput = this.hasOutput;
    this.inputSeconds = this.outputSeconds = this.inputText = this.outputText = 0;
    this.isFirst = false;
    return hadOutput ? turn : noAudio;
  }

  private readSession(session: Fields): void {
    // Older sessions have the formats at the top level, newer ones under `audio`.
    const audio = fieldsOf(session['audio']);
    this.inputRate = rateOf(session['input_audio_format'] ?? fieldsOf(audio['input'])['format']);
    this.outputRate = rateOf(session['output_audio_format'] ?? fieldsOf(audio['output'])['format']);
    const tools = Array.isArray(session['tools']) ? (session['tools'] as unknown[]) : [];
    this.toolText = tools.reduce<number>((sum, tool) => sum + 8 + this.count(JSON.stringify(tool)), 0);
  }

  private count(text: unknown): number {
    if (typeof text !== 'string' || text === '') return 0;
    const encoding = text.length > maxCounted ? null : loadedEncoding(encodingOf(this.model));
    return encoding ? encoding(text) : estimateTokens(Buffer.byteLength(text));
  }
}

const fieldsOf = (value: unknown): Fields => asFields(value) ?? {};

/** Decoded bytes of base64 text, without decoding it. */
function decodedLength(audio: unknown): number {
  if (typeof audio !== 'string') return 0;
  const padding = audio.endsWith('==') ? 2 : audio.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((audio.length * 3) / 4) - padding);
}

/** `pcm16`, or `{type: "audio/pcm", rate: 24000}`. */
function rateOf(format: unknown): number {
  if (format === undefined || format === 'pcm16') return pcmBytesPerSecond;
  const { type, rate } = fieldsOf(format);
  if (type !== 'audio/pcm') return narrowBytesPerSecond;
  return typeof rate === 'number' && rate >= 8000 && rate <= 48_000 ? rate * 2 : pcmBytesPerSecond;
}
