import { type ReceivedSession, type RealtimeEvent, type RealtimeUpstream, send, usageOf } from './realtime.js';

/** How the model speaks. */
export interface Speech {
  /** Output tokens of a response that nothing limits. */
  readonly tokens: number;
  /** Time of a whole response. */
  readonly milliseconds: number;
  /** Bytes of audio for a token; 2,400 are 50 ms of PCM16. */
  readonly bytes: number;
}

/** Quota of tokens at the ratios of gpt-4o-realtime-preview: 2.5, text output 4, audio 20, audio output 2. */
export const quotaOf = ({ textIn, audioIn, audioOut }: Made): number =>
  Math.round((textIn + audioIn * 20 + audioOut * 40) * 2.5);

/** A response that the provider bills. */
export interface Made {
  readonly textIn: number;
  readonly audioIn: number;
  audioOut: number;
}

const maxOutput = 4096;
const tick = 20;

/**
 * A model that bills what it generates, whether or not a client reads it. It refuses what OpenAI refuses: a second response in the
 * conversation while one is active, limits out of range, the field names of the other version of the API, and another type
 * of session.
 */
export class SpeakingModel {
  readonly made: Made[] = [];
  speech: Speech = { tokens: maxOutput, milliseconds: 1000, bytes: 8 };
  /** The largest output of a response. */
  longest = maxOutput;
  /** Whether the model obeys limits, as OpenAI's does. */
  obeys = true;
  /** Milliseconds until an update, which applies at once, is confirmed. */
  confirmsAfter = 0;
  /** Tools of the MCP servers that a session or a response names. They are part of what each response reads. */
  remoteTools: readonly object[] = [];
  /** Milliseconds of a test for a second of an idle timeout. */
  idleSecond = 100;
  private readonly states = new Map<ReceivedSession, SpeakingSession>();

  constructor(
    upstream: RealtimeUpstream,
    readonly isBeta = true,
    turnDetection: object | null = null,
  ) {
    upstream.session = isBeta
      ? { id: 's', input_audio_format: 'pcm16', turn_detection: turnDetection, max_response_output_tokens: 'inf' }
      : {
          id: 's',
          type: 'realtime',
          max_output_tokens: 'inf',
          audio: { input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: turnDetection } },
        };
    upstream.answer = (session) => this.of(session, upstream).create(session.events.at(-1) ?? {});
    upstream.receive = (session, event) => this.of(session, upstream).receive(event);
  }

  /** The quota of everything that the model generated. */
  get worth(): number {
    return this.made.reduce((sum, each) => sum + quotaOf(each), 0);
  }

  private of(session: ReceivedSession, { session: settings }: RealtimeUpstream): SpeakingSession {
    let state = this.states.get(session);
    if (!state) this.states.set(session, (state = new SpeakingSession(session, this, { ...settings })));
    return state;
  }
}

interface Running {
  readonly id: string;
  readonly made: Made;
  readonly inConversation: boolean;
  end(status: string): void;
}

/** Characters / 4, as tokens. */
const tokensOf = (value: unknown): number => (value === undefined ? 0 : Math.ceil(JSON.stringify(value).length / 4));

class SpeakingSession {
  private text = 0;
  private instructions = 0;
  private remote = 0;
  private audio = 0;
  private buffered = 0;
  private isSpeaking = false;
  private silence = 0;
  private idle: NodeJS.Timeout | undefined;
  private active: Running | null = null;

  constructor(
    private readonly session: ReceivedSession,
    private readonly model: SpeakingModel,
    private settings: RealtimeEvent,
  ) {}

  /** G.711 has 8,000 bytes a second, PCM16 of 24 kHz has 48,000. */
  private get bytesPerSecond(): number {
    const audio = (this.settings['audio'] ?? {}) as { input?: { format?: RealtimeEvent } };
    const format = this.settings['input_audio_format'] ?? audio.input?.format?.['type'] ?? 'pcm16';
    return format === 'pcm16' || format === 'audio/pcm' ? 48_000 : 8000;
  }

  private get limitName(): string {
    return this.model.isBeta ? 'max_response_output_tokens' : 'max_output_tokens';
  }

  create(event: RealtimeEvent): void {
    const response = (event['response'] ?? {}) as RealtimeEvent;
    const inConversation = response['conversation'] !== 'none';
    if (inConversation && this.active) {
      return this.refuse(event, 'conversation_already_has_active_response');
    }
    const asked = response['max_output_tokens'];
    if (asked !== undefined && !this.isLimit(asked)) return this.refuse(event, 'invalid_value');
    if ('max_response_output_tokens' in response) return this.refuse(event, 'unknown_parameter');
    const { input } = response;
    const servers = namesServers(response) ? tokensOf(this.model.remoteTools) : this.remote;
    const own = tokensOf(response['instructions']) + tokensOf(response['tools']) + tokensOf(input) + servers;
    // An input of its own replaces the conversation, unless it refers to items of it (reference of `response.create`).
    const isApart = Array.isArray(input) && !(input as RealtimeEvent[]).some(({ type }) => type === 'item_reference');
    const read = isApart ? { text: this.instructions, audio: 0 } : { text: this.text, audio: this.audio };
    this.begin(inConversation, { text: read.text + own, audio: read.audio }, asked ?? this.settings[this.limitName]);
  }

  receive(event: RealtimeEvent): void {
    const { socket } = this.session;
    switch (event['type']) {
      case 'session.update':
        return this.update(event);
      case 'conversation.item.create':
        this.text += tokensOf((event['item'] as RealtimeEvent)['content']);
        return send(socket, { type: 'conversation.item.created', item: event['item'] });
      case 'response.cancel':
        return this.active?.end('cancelled');
      case 'input_audio_buffer.append':
        return this.hear(Buffer.from(String(event['audio']), 'base64'));
      case 'input_audio_buffer.commit':
        return this.commit();
    }
  }

  private update(event: RealtimeEvent): void {
    const session = event['session'] as RealtimeEvent;
    const { isBeta } = this.model;
    const isForeign = isBeta
      ? 'max_output_tokens' in session
      : 'max_response_output_tokens' in session || session['type'] !== 'realtime';
    if (isForeign) return this.refuse(event, 'unknown_parameter');
    const limit = session[this.limitName];
    if (limit !== undefined && !this.isLimit(limit)) return this.refuse(event, 'invalid_value');
    const [idle, before] = [detectionIn(session)?.['idle_timeout_ms'] ?? null, detectionIn(this.settings)];
    if (idle !== null && !(Number(idle) >= 5000 && Number(idle) <= 30_000)) return this.refuse(event, 'invalid_value');
    this.settings = { ...this.settings, ...session };
    if (detectionIn(this.settings) !== before) this.awaitSpeech();
    this.instructions = tokensOf(session['instructions']) || this.instructions;
    this.text += tokensOf(session['instructions']);
    if (namesServers(session)) this.list();
    const updated = { type: 'session.updated', session: this.settings };
    if (this.model.confirmsAfter === 0) send(this.session.socket, updated);
    else setTimeout(() => send(this.session.socket, updated), this.model.confirmsAfter);
  }

  /** The provider lists the tools of a server as an item of the conversation (guide "Realtime with MCP", November 2026). */
  private list(): void {
    const item = { id: 'mcpl', type: 'mcp_list_tools', server_label: 'x' };
    this.remote = tokensOf(this.model.remoteTools);
    send(this.session.socket, { type: 'conversation.item.added', item: { ...item, tools: [] } });
    send(this.session.socket, { type: 'mcp_list_tools.completed', item_id: 'mcpl' });
    send(this.session.socket, { type: 'conversation.item.done', item: { ...item, tools: this.model.remoteTools } });
  }

  /** Server VAD: zeros are silence. 200 ms of it end a turn. */
  private hear(sound: Buffer): void {
    const seconds = sound.length / this.bytesPerSecond;
    const detection = detectionIn(this.settings);
    const isSpeech = sound.some((byte) => byte !== 0);
    if (!detection) {
      this.buffered += seconds;
      return;
    }
    if (isSpeech && !this.isSpeaking) {
      this.isSpeaking = true;
      clearTimeout(this.idle);
      this.active?.end('cancelled');
      send(this.session.socket, { type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'i' });
    }
    if (this.isSpeaking) this.buffered += seconds;
    this.silence = isSpeech ? 0 : this.silence + seconds;
    if (!this.isSpeaking || this.silence < 0.2) return;
    this.isSpeaking = false;
    send(this.session.socket, { type: 'input_audio_buffer.speech_stopped', audio_end_ms: 0, item_id: 'i' });
    this.commit();
    if (detection['create_response'] !== false)
      this.begin(true, { text: this.text, audio: this.audio }, this.settings[this.limitName]);
  }

  /**
   * OpenAI's idle timeout of server VAD, from the end of the last response: the silence is committed, and a response
   * begins, without any event of the client (reference of `turn_detection.idle_timeout_ms` and
   * `input_audio_buffer.timeout_triggered`, November 2025).
   */
  private awaitSpeech(): void {
    clearTimeout(this.idle);
    const detection = detectionIn(this.settings);
    const idle = detection?.['type'] === 'server_vad' ? Number(detection['idle_timeout_ms'] ?? 0) : 0;
    const { socket } = this.session;
    if (idle === 0) return;
    this.idle = setTimeout(
      () => {
        if (this.active || this.isSpeaking || socket.readyState > 1) return;
        send(socket, {
          type: 'input_audio_buffer.timeout_triggered',
          audio_start_ms: 0,
          audio_end_ms: idle,
          item_id: 'i',
        });
        this.buffered = idle / 1000;
        this.commit();
        this.begin(true, { text: this.text, audio: this.audio }, this.settings[this.limitName]);
      },
      (idle / 1000) * this.model.idleSecond,
    );
  }

  private commit(): void {
    this.audio += Math.round(this.buffered * 10);
    this.buffered = 0;
    send(this.session.socket, { type: 'input_audio_buffer.committed', item_id: 'i', previous_item_id: null });
  }

  private begin(inConversation: boolean, read: { text: number; audio: number }, limit: unknown): void {
    const { model, session } = this;
    const { socket } = session;
    const { tokens, milliseconds, bytes } = model.speech;
    const most = Math.min(tokens, typeof limit === 'number' && model.obeys ? limit : model.longest);
    const made: Made = { textIn: read.text, audioIn: read.audio, audioOut: 0 };
    model.made.push(made);
    const id = `resp_${model.made.length}`;
    const delta = model.isBeta ? 'response.audio.delta' : 'response.output_audio.delta';
    const step = Math.ceil((tokens * tick) / milliseconds);
    const timer = setInterval(() => {
      // A provider detects that its client has disconnected, and stops.
      if (socket.readyState > 1) return clearInterval(timer);
      const more = Math.min(step, most - made.audioOut);
      made.audioOut += more;
      const audio = Buffer.alloc(more * bytes, 1).toString('base64');
      send(socket, { type: delta, response_id: id, item_id: `item_${id}`, delta: audio });
      if (made.audioOut >= most) running.end(most < tokens ? 'incomplete' : 'completed');
    }, tick);
    const running: Running = {
      id,
      made,
      inConversation,
      end: (status) => {
        clearInterval(timer);
        if (this.active === running) this.active = null;
        if (inConversation) this.audio += made.audioOut;
        if (inConversation) this.awaitSpeech();
        const usage = usageOf({ textIn: made.textIn, textOut: 0, audioIn: made.audioIn, audioOut: made.audioOut });
        send(socket, { type: 'response.done', response: { id, object: 'realtime.response', status, usage } });
      },
    };
    if (inConversation) this.active = running;
    const conversation = inConversation ? 'conv' : null;
    const response = { id, object: 'realtime.response', status: 'in_progress', conversation_id: conversation };
    send(socket, { type: 'response.created', response });
  }

  private isLimit(value: unknown): boolean {
    return value === 'inf' || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= this.model.longest);
  }

  private refuse(event: RealtimeEvent, code: string): void {
    const error = { type: 'invalid_request_error', code, message: code, param: null };
    send(this.session.socket, {
      type: 'error',
      event_id: 'e',
      error: { ...error, event_id: event['event_id'] ?? null },
    });
  }
}

/** The turn detection of a session: at the top level in the beta version, else under `audio`. */
function detectionIn(session: RealtimeEvent): RealtimeEvent | null {
  const audio = (session['audio'] ?? {}) as { input?: RealtimeEvent };
  return (session['turn_detection'] ?? audio.input?.['turn_detection'] ?? null) as RealtimeEvent | null;
}

const namesServers = ({ tools }: RealtimeEvent): boolean =>
  ((tools ?? []) as RealtimeEvent[]).some(({ type }) => type === 'mcp');
