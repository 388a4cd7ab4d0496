import type { RealtimeClient, RealtimeClients } from './realtime-client.js';
import { send, type ReceivedSession, type RealtimeEvent } from './upstream/realtime.js';

/** The two versions of OpenAI's API for sessions that only transcribe speech. */
export interface TranscriptionDialect {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly created: string;
  readonly updated: string;
  /** The event that names the model. */
  update(model: string): RealtimeEvent;
}

export const current: TranscriptionDialect = {
  name: 'current',
  headers: {},
  created: 'session.created',
  updated: 'session.updated',
  update: (model) => ({
    type: 'session.update',
    session: {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model, language: 'en' },
          turn_detection: { type: 'semantic_vad' },
        },
      },
    },
  }),
};

export const beta: TranscriptionDialect = {
  name: 'beta',
  headers: { 'openai-beta': 'realtime=v1' },
  created: 'transcription_session.created',
  updated: 'transcription_session.updated',
  update: (model) => ({
    type: 'transcription_session.update',
    session: { input_audio_format: 'pcm16', input_audio_transcription: { model, language: 'en' } },
  }),
};

export const commit: RealtimeEvent = { type: 'input_audio_buffer.commit' };
/** 100 ms of pcm16 at 24 kHz. */
export const audio: RealtimeEvent = {
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(4800).toString('base64'),
};
export const completed = 'conversation.item.input_audio_transcription.completed';
/** Three seconds of speech, as models with tokens report it. */
export const threeSeconds = {
  type: 'tokens',
  total_tokens: 50,
  input_tokens: 30,
  output_tokens: 20,
  input_token_details: { text_tokens: 0, audio_tokens: 30 },
};

/** A provider that confirms updates, and reports this usage for each commit. */
export const transcribe =
  (usage: object | undefined = threeSeconds) =>
  ({ socket }: ReceivedSession, { type, session }: RealtimeEvent): void => {
    const updated = type === 'session.update' ? current.updated : beta.updated;
    if (String(type).endsWith('.update')) send(socket, { type: updated, session: { id: 's', ...(session as object) } });
    if (type !== commit['type']) return;
    send(socket, { type: 'conversation.item.input_audio_transcription.delta', item_id: 'i', delta: 'Hel' });
    send(socket, { type: completed, item_id: 'i', transcript: 'Hello.', ...(usage ? { usage } : {}) });
  };

/** Opens a session whose model is not named yet. */
export async function unnamed(
  clients: RealtimeClients,
  key: string,
  { headers, created }: TranscriptionDialect = current,
): Promise<RealtimeClient> {
  const client = clients.connect('intent=transcription', { headers: { ...headers, authorization: `Bearer ${key}` } });
  await client.until(created);
  return client;
}

/** Opens a session as the agents of OpenAI do: each side waits for the other. */
export async function transcription(
  clients: RealtimeClients,
  key: string,
  model: string,
  dialect = current,
): Promise<RealtimeClient> {
  const client = await unnamed(clients, key, dialect);
  client.send(dialect.update(model));
  await client.until(dialect.updated);
  return client;
}

/** Speaks one utterance, and waits for its transcript. */
export async function utter(client: RealtimeClient, count = 1): Promise<void> {
  client.send(audio);
  client.send(commit);
  await client.until(completed, count);
}
