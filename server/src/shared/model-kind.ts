/** The kind of calls that a model serves, as far as its name shows. */
export type ModelKind =
  | 'chat'
  | 'completion'
  | 'embedding'
  | 'rerank'
  | 'moderation'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'video'
  | 'music'
  | 'realtime';

/** Kinds by name. The first match decides. A name without a match is a chat model. */
const kinds: ReadonlyArray<readonly [ModelKind, RegExp]> = [
  ['rerank', /rerank|semantic-ranker/],
  ['embedding', /embed|\bm3e\b|bge-|\bgte-|\be5-|jina-clip|voyage-|minilm|semantic_similarity/],
  ['moderation', /moderation/],
  ['realtime', /realtime|native-audio|\b(?:gemini|gpt)\b.*-live\b|grok-voice/],
  ['transcription', /whisper|transcribe|\b(?:asr|stt)\b|sensevoice|paraformer/],
  ['speech', /\btts\b|^speech-|fish-speech|cosyvoice|orpheus|kokoro/],
  ['music', /\blyria\b|\bsuno\b|\bmusic-/],
  [
    'video',
    /\b(?:sora|veo|wan\d|kling|seedance|vidu[\w.]*|jimeng\w*|hailuo|cogvideox?|happyhorse)\b|-(?:[tir]2v|video)\b|^video-/,
  ],
  // Gemini's image models serve chat calls too.
  ['chat', /gemini|nano-banana/],
  [
    'image',
    /dall-e|gpt-image|chatgpt-image|imagen|imagine|\bflux\b|stable-diffusion|sdxl|\bsd-?\d|cogview|wanx|(?:qwen|z)-image|seedream|seededit|kolors|instantid|recraft|ideogram|midjourney/,
  ],
  ['completion', /^(?:gpt-3\.5-turbo-instruct|davinci-|babbage-|text-(?:davinci|curie|babbage|ada)-)/],
];

export function modelKind(model: string): ModelKind {
  const name = model.toLowerCase();
  return kinds.find(([, names]) => names.test(name))?.[0] ?? 'chat';
}
