import { modelKind, type ModelKind } from './model-kind.js';

it.each<[ModelKind, string]>([
  [
    'chat',
    'gpt-4o gpt-5.2-codex claude-opus-4-5 gemini-2.5-flash-image Qwen/Qwen2.5-72B-Instruct o3-mini grok-4 glm-4.6',
  ],
  ['chat', 'deepseek-chat kimi-k2 mistral-large-latest llama-3.2-vision gpt-4o-audio-preview voxtral-mini-latest'],
  ['completion', 'gpt-3.5-turbo-instruct davinci-002 babbage-002 text-davinci-003'],
  [
    'embedding',
    'text-embedding-3-small BAAI/bge-m3 m3e-base Alibaba-NLP/gte-large intfloat/e5-large jina-clip-v1 voyage-3',
  ],
  ['embedding', 'nomic-embed-text netease-youdao/bce-embedding-base_v1'],
  ['rerank', 'BAAI/bge-reranker-v2-m3 rerank-v3.5 semantic-ranker-default-004'],
  ['moderation', 'omni-moderation-latest text-moderation-stable'],
  ['image', 'dall-e-3 gpt-image-1 imagen-4.0-generate-001 black-forest-labs/FLUX.1-schnell qwen-image cogview-4'],
  ['speech', 'tts-1-hd gpt-4o-mini-tts speech-02-hd gemini-2.5-flash-preview-tts'],
  ['transcription', 'whisper-1 gpt-4o-transcribe FunAudioLLM/SenseVoiceSmall'],
  ['video', 'sora-2 veo-3.0-generate-001 wan2.7-t2v grok-imagine-video doubao-seedance-2-0-fast-260128'],
  ['music', 'lyria-002'],
  ['realtime', 'gpt-4o-realtime-preview gpt-realtime gemini-2.5-flash-native-audio gemini-3.1-flash-live-preview'],
])('knows models for %s by name: %s', (kind, names) => {
  expect(names.split(' ').map((name) => [name, modelKind(name)])).toEqual(names.split(' ').map((name) => [name, kind]));
});
