import { providers } from '../../../server/src/dialects/makers/providers.js';
import { withAdapter } from '../../../server/src/dialects/providers/provider.js';
import {
  base64Of,
  dot,
  heard,
  mediaEndpoints,
  mediaProviders,
  moderationRefusals,
  recordedSeconds,
  sound,
  spoken,
  vectorOf,
  type MediaCell,
  type MediaEndpoint,
} from '../../support/upstream/media.js';

/** One call of an SDK, in the words of OpenAI's packages for JavaScript and for Python. */
export interface MediaCall {
  readonly name: string;
  /** `images.generate` */
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The result that the SDK has to show, in a form that both languages write. */
  readonly result: unknown;
  /** The refusal by every provider, which the SDK has to show in place of a result. */
  readonly refusal?: string;
}

const both = ['a', 'b'];
const drawn = { prompt: 'a house' };
const said = { input: spoken, voice: 'alloy' };
const ranking = { query: 'a hot drink', documents: ['stone', 'tea', 'sand'], top_n: 2 };
const ranked = {
  results: [
    { index: 1, score: 0.875 },
    { index: 0, score: 0.125 },
  ],
};
const verbose = { text: heard, language: 'english', duration: recordedSeconds, segments: [heard] };
const streamedText = { events: ['transcript.text.delta', 'transcript.text.done'], text: heard };
const plain = { response_format: 'text' };

const call = (name: string, method: string, params: MediaCall['params'], result: MediaCall['result']): MediaCall => ({
  name,
  method,
  params,
  result,
});

const drawings = (method: string, kind: string): MediaCall[] => [
  call('one', method, { ...drawn, size: '1024x1024' }, { images: [dot] }),
  call('two', method, { ...drawn, n: 2 }, { images: [dot, dot] }),
  call(
    'stream',
    method,
    { ...drawn, stream: true, partial_images: 1 },
    { events: [`${kind}.partial_image`, `${kind}.completed`], images: [dot, dot] },
  ),
];

const text = (said: string) => ({ type: 'text', text: said });
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } };
const flagged = (count: number) => ({
  flagged: Array.from({ length: count }, () => true),
  violence: Array.from({ length: count }, () => 0.875),
});
const moderation = (name: string, input: unknown, results: number): MediaCall =>
  call(name, 'moderations.create', { input }, flagged(results));
const refusedModeration = (name: string, input: unknown, refusal: string): MediaCall => ({
  ...moderation(name, input, 0),
  refusal,
});

const transcripts = (method: string): MediaCall[] => [
  call('json', method, {}, { text: heard }),
  call('verbose_json', method, { response_format: 'verbose_json' }, verbose),
  call('text', method, plain, { text: `${heard}\n` }),
];

/** Every method of the SDKs at each endpoint. */
const calls: Readonly<Record<MediaEndpoint, readonly MediaCall[]>> = {
  embeddings: [
    call('usual', 'embeddings.create', { input: both }, { vectors: both.map((text) => vectorOf(text)) }),
    call('one', 'embeddings.create', { input: 'a' }, { vectors: [vectorOf('a')] }),
    call(
      'float',
      'embeddings.create',
      { input: both, encoding_format: 'float' },
      { vectors: both.map((text) => vectorOf(text)) },
    ),
    call(
      'base64',
      'embeddings.create',
      { input: both, encoding_format: 'base64' },
      { vectors: both.map((text) => base64Of(vectorOf(text))) },
    ),
    call('dimensions', 'embeddings.create', { input: 'a', dimensions: 2 }, { vectors: [vectorOf('a', 2)] }),
  ],
  moderations: [
    moderation('text', 'a', 1),
    moderation('texts', both, 2),
    moderation('text with an image', [text('a'), image], 1),
    moderation('image', [image], 1),
    refusedModeration('unknown part', [{ type: 'input_text', text: 'a' }], moderationRefusals.unknown),
    refusedModeration('part without its content', [{ type: 'image_url' }], moderationRefusals.empty),
    refusedModeration('texts among parts', ['a', image], moderationRefusals.mixed),
    refusedModeration('two images', [image, text('a'), image], moderationRefusals.images),
  ],
  rerank: [
    call('usual', 'rerank', ranking, ranked),
    call('usual at /v2', 'rerank at /v2', ranking, ranked),
    call(
      'with documents',
      'rerank',
      { query: 'a hot drink', documents: ['stone', 'tea'], top_n: 1, return_documents: true },
      { results: [{ index: 1, score: 0.875, text: 'tea' }] },
    ),
  ],
  images: drawings('images.generate', 'image_generation'),
  imageEdits: drawings('images.edit', 'image_edit'),
  imageVariations: [
    call('one', 'images.createVariation', { size: '1024x1024' }, { images: [dot] }),
    call('two', 'images.createVariation', { n: 2, response_format: 'b64_json' }, { images: [dot, dot] }),
  ],
  speech: [
    call('bytes', 'audio.speech.create', { ...said, response_format: 'wav' }, { sound: sound.toString('base64') }),
    call(
      'events',
      'audio.speech.create',
      { ...said, stream_format: 'sse' },
      { events: ['speech.audio.delta', 'speech.audio.done'], sound: sound.toString('base64') },
    ),
  ],
  transcription: [
    ...transcripts('audio.transcriptions.create'),
    call('stream', 'audio.transcriptions.create', { stream: true }, streamedText),
  ],
  translation: transcripts('audio.translations.create'),
};

/** The calls of a cell: each has its result, or it is refused, by the gateway by name or in the provider's words. */
export const callsOf = ({
  endpoint,
  wire,
}: MediaCell): Array<MediaCall & { readonly refused: RegExp | string | null }> =>
  calls[endpoint].map((each) => ({
    ...each,
    result: wire.results?.[each.name] ?? each.result,
    refused: wire.refused?.[each.name] ?? each.refusal ?? null,
  }));

/**
 * Every endpoint of every channel type in the registry.
 * @throws if one has no scripted provider
 */
export function mediaCells(): MediaCell[] {
  return providers
    .filter(({ offered }) => offered)
    .flatMap((row) => {
      const provider = mediaProviders[row.id];
      const { adapter } = withAdapter(row, { other: provider?.other ?? '', baseUrl: row.defaultBaseUrl, setting: {} });
      return mediaEndpoints
        .filter((endpoint) => adapter[endpoint])
        .map((endpoint) => {
          const wire = provider?.wires[endpoint];
          if (!provider || !wire) {
            throw new Error(
              `${row.label} (type ${row.id}) serves ${endpoint}: tests/support/upstream/media.ts needs it`,
            );
          }
          return { type: row.id, endpoint, provider, wire };
        });
    });
}

/** The name of a cell's model at the gateway. */
export const modelOf = ({ type, endpoint }: MediaCell): string => `${endpoint}-${type}`;
