import { loadEncoding } from '../../../server/src/gateway/reserve/metering/text-meter.js';
import { startServer, type TestServer } from '../../support/server.js';
import { families as chatFamilies } from '../../support/upstream/families.js';
import { startUpstream, type ReceivedRequest, type Upstream } from '../../support/upstream/upstream.js';
import type { Family, Results } from './sdk-client.js';

const embeddings: readonly Family[] = [
  { name: 'OpenAI', type: 1, model: 'text-embedding-3-small' },
  { name: 'Google', type: 24, model: 'text-embedding-004' },
  { name: 'Alibaba', type: 17, model: 'text-embedding-v3' },
  { name: 'Cohere', type: 34, model: 'embed-english-v3.0' },
  { name: 'Ollama', type: 4, model: 'nomic-embed-text' },
];
const images: readonly Family[] = [
  { name: 'OpenAI', type: 1, model: 'dall-e-3' },
  { name: 'Google', type: 24, model: 'imagen-3.0-generate-002' },
  { name: 'Alibaba', type: 17, model: 'wanx2.1-t2i-turbo' },
  { name: 'Cloudflare', type: 39, model: '@cf/black-forest-labs/flux-1-schnell', other: 'account' },
];
const speech: readonly Family[] = [
  { name: 'OpenAI', type: 1, model: 'tts-1' },
  { name: 'Azure', type: 3, model: 'tts-hd', other: '2025-01-01-preview' },
  { name: 'MiniMax', type: 35, model: 'speech-02-hd' },
  { name: 'SiliconFlow', type: 40, model: 'FunAudioLLM/CosyVoice2-0.5B' },
];
const transcription: readonly Family[] = [
  { name: 'OpenAI', type: 1, model: 'whisper-1' },
  { name: 'Azure', type: 3, model: 'whisper', other: '2025-01-01-preview' },
  { name: 'Cloudflare', type: 39, model: '@cf/openai/whisper', other: 'account' },
  { name: 'SiliconFlow', type: 40, model: 'FunAudioLLM/SenseVoiceSmall' },
];
export const chat: readonly Family[] = chatFamilies;

/** The families at which each feature is tested. */
export const familiesOf: { readonly [Feature in keyof Results]: readonly Family[] } = {
  chat,
  stream: chat,
  tools: chat,
  streamedTools: chat,
  vision: chat,
  json: chat,
  responses: chat,
  embeddings,
  images,
  speech,
  transcription,
};

/** A gateway with a channel to every family, all of which are one scripted upstream. */
export interface SdkSite {
  readonly server: TestServer;
  readonly upstream: Upstream;
  readonly key: string;
  lastRequest(): ReceivedRequest;
  /** Ends the cooldowns of every channel, after errors of its key. */
  clearCooldowns(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSdkSite(): Promise<SdkSite> {
  // The encodings are large tables that are read when a call is first counted. A test of how soon a provider is
  // released should not wait for them.
  await Promise.all([loadEncoding('o200k'), loadEncoding('cl100k')]);
  const upstream = await startUpstream();
  const server = await startServer();
  const root = await server.api.setUp({ selfUse: true });
  const channels: number[] = [];
  for (const { type, model, other } of [...chat, ...embeddings, ...images, ...speech, ...transcription]) {
    const more = other === undefined ? {} : { other };
    channels.push(await server.api.createChannel(root, { type, baseUrl: upstream.url, models: [model], more }));
  }
  const { key } = await server.api.createToken(root);
  return {
    server,
    upstream,
    key,
    lastRequest: () => {
      const request = upstream.requests.at(-1);
      if (!request) throw new Error('nothing reached the provider');
      return request;
    },
    clearCooldowns: async () => {
      for (const id of channels) await server.api.data(root, 'DELETE', `/api/channel/${id}/cooldowns`);
    },
    stop: async () => {
      await server.stop();
      await upstream.stop();
    },
  };
}
