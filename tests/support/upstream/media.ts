import type { Adapter, OneShotCapability } from '../../../server/src/dialects/contract.js';
import { readForm, textFields } from '../../../server/src/dialects/wire/forms/multipart.js';
import { events, json } from './replies.js';
import type { ReceivedRequest, Reply } from './upstream.js';

/*
 * Providers of embeddings, moderation, reranking, images and audio, by channel type. Each takes its own path and form, and
 * refuses every other field: a real provider refuses it too, or leaves it out in silence, which a client must not meet.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The capabilities of an adapter that respond once. A new one has to be named in `mediaEndpoints`. */
export type MediaEndpoint = {
  [Name in keyof Adapter]-?: NonNullable<Adapter[Name]> extends OneShotCapability ? Name : never;
}[keyof Adapter];

export const mediaEndpoints = Object.keys({
  embeddings: 0,
  moderations: 0,
  rerank: 0,
  images: 0,
  imageEdits: 0,
  imageVariations: 0,
  speech: 0,
  transcription: 0,
  translation: 0,
} satisfies Record<MediaEndpoint, 0>) as MediaEndpoint[];

/** The dollars for what is sold, such that each costs a whole number of units of quota. */
export const mediaPrices = {
  input: { price: 2, quota: 1 },
  image: { price: 0.04, quota: 20_000 },
  character: { price: 0.0002, quota: 100 },
  second: { price: 0.0001, quota: 50 },
  request: { price: 0.002, quota: 1000 },
} as const;
type Sold = keyof typeof mediaPrices;

interface Made {
  readonly reply: Reply;
  /** The number of tokens, images and so on that the provider made or read. */
  readonly count: number;
}

/** One endpoint of one provider. */
export interface MediaWire {
  /** The provider's name of the model. */
  readonly model: string;
  /** The path and query of a call. `{model}` is the name of the model. */
  readonly path: string;
  /** The fields that it takes. */
  readonly fields: string;
  /** The fields that have to be there, if not the model alone. */
  readonly needs: string;
  readonly sold: Sold;
  make(fields: Fields, request: ReceivedRequest): Made;
  /** Why it refuses the values of its fields; null if it does not. */
  readonly refuses?: (fields: Fields) => string | null;
  /** The response to a poll for a job. */
  readonly poll?: (path: string) => Reply | null;
  /** Calls of `media-calls.ts` that the provider cannot serve, with the refusal by the gateway. */
  readonly refused?: Readonly<Record<string, RegExp>>;
  /** Calls whose result differs from that of most providers. */
  readonly results?: Readonly<Record<string, unknown>>;
}

export interface MediaProvider {
  readonly key?: string;
  readonly other?: string;
  /** Whether the URL of the channel is the path of the endpoint too. */
  readonly isWholeUrl?: true;
  /** Whether its hosts are Google's, to which `startGoogle` leads. */
  readonly atGoogle?: true;
  /** The header with the key, as the provider wants it. */
  readonly credential: readonly [header: string, value: string] | null;
  readonly wires: Readonly<Partial<Record<MediaEndpoint, MediaWire>>>;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]);

/** Numbers that survive being sent as 32 bits. */
export const vectorOf = (text: string, length = 4): number[] =>
  [text.charCodeAt(0) / 128, 0.5, -0.25, 1].slice(0, length);

export function base64Of(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64');
}

const tokensOfText = 5;
/** The vectors for the texts of a call, and the tokens that the provider counts. */
const embedded = (texts: unknown, length: unknown = 4): { vectors: number[][]; tokens: number } => {
  const vectors = list(texts).map((text) => vectorOf(String(text), Number(length)));
  return { vectors, tokens: vectors.length * tokensOfText };
};

const embeddings = (more: Partial<MediaWire> & Pick<MediaWire, 'model'>): MediaWire => ({
  path: '/v1/embeddings',
  fields: 'model input dimensions encoding_format user',
  needs: 'model input',
  sold: 'input',
  make({ model, input, dimensions, encoding_format: encoding = 'float' }) {
    const { vectors, tokens } = embedded(input, dimensions);
    const data = vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? base64Of(vector) : vector,
    }));
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    return { reply: json({ object: 'list', model, data, usage }), count: tokens };
  },
  ...more,
});

/** A provider's own form of embeddings. */
const ownEmbeddings = (
  {
    length = () => undefined,
    texts,
    ...more
  }: Omit<MediaWire, 'needs' | 'sold' | 'make'> & {
    readonly length?: (fields: Fields) => unknown;
    readonly texts: (fields: Fields) => unknown;
  } & Partial<MediaWire>,
  answer: (vectors: number[][], tokens: number, fields: Fields) => unknown,
): MediaWire => ({
  sold: 'input',
  needs: more.fields.split(' ')[0] ?? '',
  make(fields) {
    const { vectors, tokens } = embedded(texts(fields), length(fields));
    return { reply: json(answer(vectors, tokens, fields)), count: tokens };
  },
  ...more,
});

/** Providers without a choice of the length give the whole vector, and the field is named as left out. */
const wholeLength = { dimensions: { vectors: [vectorOf('a')] } };

/** The fields of each type of part, besides the type. */
const moderatedParts: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['image_url', 'image_url'],
]);
const isPart = (entry: unknown): entry is Fields => typeof entry === 'object' && entry !== null;

/** Takes texts, each with a result of its own, or the parts of one input, of which one may be an image. */
function refusesModeration({ input }: Fields): string | null {
  const entries = list(input);
  const parts = entries.filter(isPart);
  if (parts.length === 0) return null;
  if (parts.length < entries.length) return moderationRefusals.mixed;
  if (parts.some(({ type }) => !moderatedParts.has(type))) return moderationRefusals.unknown;
  const broken = parts.some((part) => part[moderatedParts.get(part['type']) ?? ''] === undefined);
  if (broken) return moderationRefusals.empty;
  return parts.filter(({ type }) => type === 'image_url').length > 1 ? moderationRefusals.images : null;
}

export const moderationRefusals = {
  mixed: 'Invalid type for input: a list of strings or a list of objects was expected',
  unknown: 'Invalid value for the type of a part of input. Supported values are: text, image_url',
  empty: 'Missing required parameter of a part of input',
  images: 'Invalid input: at most one image is allowed',
} as const;

/** It reports no tokens, and the gateway counts them: each of the texts is one, and an image none. */
const moderations: MediaWire = {
  model: 'omni-moderation-latest',
  path: '/v1/moderations',
  fields: 'model input',
  needs: 'model input',
  sold: 'input',
  refuses: refusesModeration,
  make({ model, input }) {
    const entries = list(input);
    const parts = entries.filter(isPart);
    const resultOf = (types: readonly unknown[]) => ({
      flagged: true,
      categories: { violence: true, hate: false },
      category_scores: { violence: 0.875, hate: 0 },
      category_applied_input_types: { violence: types, hate: ['text'] },
    });
    const types = parts.map(({ type }) => (type === 'text' ? 'text' : 'image'));
    const results = parts.length > 0 ? [resultOf(types)] : entries.map(() => resultOf(['text']));
    const count = entries.length - types.filter((type) => type === 'image').length;
    return { reply: json({ id: 'modr-1', model, results }), count };
  },
};

const rankedBy = (fields: Fields): Array<{ index: number; relevance_score: number }> =>
  list(fields['documents'])
    .map((document, index) => ({ index, relevance_score: document === 'tea' ? 0.875 : 0.125 }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, Number(fields['top_n'] ?? 10));

const rankedTexts = [
  { index: 1, score: 0.875, text: 'tea' },
  { index: 0, score: 0.125, text: 'stone' },
];

const rerank = (more: Partial<MediaWire> = {}): MediaWire => ({
  model: 'reranker',
  path: '/v1/rerank',
  fields: 'model query documents top_n return_documents',
  needs: 'model query documents',
  sold: 'input',
  make(fields) {
    const results = rankedBy(fields).map((result) => ({
      ...result,
      ...(fields['return_documents'] === true && { document: { text: list(fields['documents'])[result.index] } }),
    }));
    const body = { id: 'rerank-1', model: fields['model'], results, usage: { total_tokens: 12, prompt_tokens: 12 } };
    return { reply: json(body), count: 12 };
  },
  ...more,
});

/** A PNG of one dot, base64. */
export const dot = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`;
const created = 1_763_600_000;
/** Where the providers that return addresses keep the dot. */
export const address = 'https://images.example/1.png';
const asUrls = { one: { images: [address] }, two: { images: [address, address] } };

const drawnEvent = (kind: string): string =>
  JSON.stringify({ type: `${kind}.completed`, b64_json: dot, created_at: created, output_format: 'png' });

const drawn =
  (kind: string): MediaWire['make'] =>
  ({ n = 1, stream }) => {
    const data = Array.from({ length: Number(n) }, () => ({ b64_json: dot }));
    if (String(stream) !== 'true') return { reply: json({ created, data }), count: data.length };
    const partial = { type: `${kind}.partial_image`, b64_json: dot, partial_image_index: 0, created_at: created };
    return { reply: events([JSON.stringify(partial), drawnEvent(kind)], { done: false }), count: data.length };
  };

const images = (more: Partial<MediaWire> = {}): MediaWire => ({
  model: 'gpt-image-1',
  path: '/v1/images/generations',
  fields:
    'model prompt n size quality style user background moderation output_format output_compression stream partial_images',
  needs: 'model prompt',
  sold: 'image',
  make: drawn('image_generation'),
  ...more,
});

const noStream = { stream: /stream is not supported/ };
const oneImage = { ...noStream, two: /n is not supported|n must be 1/ };
/** A provider that returns addresses, and draws as many images as the field `n` says. */
const drawsUrls = (fields: Fields, number: unknown): Made => {
  const data = Array.from({ length: Number(number ?? 1) }, () => ({ url: address }));
  return { reply: json({ created, data }), count: data.length };
};

const edits = (more: Partial<MediaWire> = {}): MediaWire =>
  images({
    path: '/v1/images/edits',
    fields:
      'model prompt image image[] mask n size quality user background input_fidelity output_format output_compression stream partial_images',
    needs: 'model prompt',
    make: drawn('image_edit'),
    ...more,
  });

/** It has no prompt. */
const variations = images({
  model: 'sd-turbo',
  path: '/v1/images/variations',
  fields: 'model image n size response_format user',
  needs: 'model image',
});

export const sound = Buffer.from([73, 68, 51, 4, 0, 255, 0, 17]);
export const spoken = 'Hello';

const speech = (more: Partial<MediaWire> = {}): MediaWire => ({
  model: 'tts-1',
  path: '/v1/audio/speech',
  fields: 'model input voice instructions response_format speed stream_format',
  needs: 'model input voice',
  sold: 'character',
  make({ input, stream_format: form }) {
    const count = String(input).length;
    if (form === 'sse') {
      const delta = { type: 'speech.audio.delta', audio: sound.toString('base64') };
      const done = { type: 'speech.audio.done', usage: { input_tokens: 1, output_tokens: 9, total_tokens: 10 } };
      return { reply: events([JSON.stringify(delta), JSON.stringify(done)], { done: false }), count };
    }
    return { reply: (response) => void response.writeHead(200, { 'content-type': 'audio/wav' }).end(sound), count };
  },
  ...more,
});
const onlySound = { events: /stream_format is not supported/ };

export const heard = 'Good morning.';
/** Seconds of the recording that the calls send. */
export const recordedSeconds = 3;
const segment = { id: 0, start: 0, end: 1.5, text: heard };

const plainText =
  (text: string): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text);

const transcription = (more: Partial<MediaWire> = {}): MediaWire => ({
  model: 'whisper-1',
  path: '/v1/audio/transcriptions',
  fields:
    'model file language prompt response_format temperature timestamp_granularities[] include[] stream chunking_strategy',
  needs: 'model file',
  sold: 'second',
  make({ response_format: format = 'json', stream }, { path }) {
    const count = recordedSeconds;
    const task = path.includes('translations') ? 'translate' : 'transcribe';
    if (stream === 'true') {
      const delta = { type: 'transcript.text.delta', delta: heard };
      const done = { type: 'transcript.text.done', text: heard };
      return { reply: events([JSON.stringify(delta), JSON.stringify(done)], { done: false }), count };
    }
    if (format === 'text') return { reply: plainText(`${heard}\n`), count };
    const verbose = { task, language: 'english', duration: recordedSeconds, text: heard, segments: [segment] };
    return { reply: json(format === 'verbose_json' ? verbose : { text: heard }), count };
  },
  ...more,
});

const translation = (more: Partial<MediaWire> = {}): MediaWire =>
  transcription({
    path: '/v1/audio/translations',
    fields: 'model file prompt response_format temperature',
    ...more,
  });

const bearer = ['authorization', 'Bearer sk-upstream-secret'] as const;

const everything = {
  embeddings: embeddings({ model: 'text-embedding-3-small' }),
  moderations,
  rerank: rerank(),
  images: images(),
  imageEdits: edits(),
  imageVariations: variations,
  speech: speech(),
  transcription: transcription(),
  translation: translation(),
};
/** A member of OpenAI's family, of which a channel type may serve less than everything, at OpenAI's own paths. */
const family: MediaProvider = { credential: bearer, wires: everything };
const openModels: MediaProvider = {
  credential: bearer,
  wires: { embeddings: embeddings({ model: 'bge-m3' }), rerank: rerank(), transcription: transcription() },
};

/** All of OpenAI's endpoints at other paths. */
const everythingAt = (pathOf: (path: string) => string, names: readonly MediaEndpoint[]): MediaProvider['wires'] =>
  Object.fromEntries(names.map((name) => [name, { ...everything[name], path: pathOf(everything[name].path) }]));

/** The endpoints whose paths a channel of type 58 may choose. */
const choosable = mediaEndpoints.filter((name) => name !== 'imageVariations');

const dashScope = '/api/v1/services';
const account = '/client/v4/accounts/acct/ai';
const atGoogle = '/v1/projects/proj-fake/locations/us-east5/publishers/google/models/{model}';

const imagen = {
  fields: 'instances parameters',
  needs: 'instances parameters',
  refused: noStream,
  make({ parameters }: Fields): Made {
    const { sampleCount: count = 1 } = parameters as { sampleCount?: number };
    const predictions = Array.from({ length: count }, () => ({ mimeType: 'image/png', bytesBase64Encoded: dot }));
    return { reply: json({ predictions }), count };
  },
};

/** The scripted provider of each channel type that serves one of the endpoints. */
export const mediaProviders: Readonly<Record<number, MediaProvider>> = {
  1: family,
  3: {
    other: '2025-04-01-preview',
    credential: ['api-key', 'sk-upstream-secret'],
    wires: everythingAt(
      (path) => `${path.replace('/v1', '/openai/deployments/{model}')}?api-version=2025-04-01-preview`,
      mediaEndpoints.filter((name) => name !== 'rerank'),
    ),
  },
  4: {
    credential: bearer,
    wires: {
      embeddings: ownEmbeddings(
        {
          model: 'nomic-embed-text',
          path: '/api/embed',
          fields: 'model input dimensions truncate options keep_alive',
          texts: ({ input }) => input,
          length: ({ dimensions }) => dimensions,
        },
        (vectors, tokens) => ({ model: 'nomic-embed-text', embeddings: vectors, prompt_eval_count: tokens }),
      ),
    },
  },
  8: { ...family, isWholeUrl: true, wires: everythingAt((path) => `/own${path}`, mediaEndpoints) },
  15: {
    key: 'api-key|secret',
    credential: null,
    wires: {
      embeddings: ownEmbeddings(
        {
          model: 'Embedding-V1',
          path: '/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/embedding-v1?access_token=scripted',
          fields: 'input user_id',
          texts: ({ input }) => input,
          results: wholeLength,
        },
        (vectors, tokens) => ({
          id: 'as-1',
          object: 'embedding_list',
          created,
          data: vectors.map((embedding, index) => ({ object: 'embedding', embedding, index })),
          usage: { prompt_tokens: tokens, total_tokens: tokens },
        }),
      ),
    },
  },
  17: {
    credential: bearer,
    wires: {
      embeddings: ownEmbeddings(
        {
          model: 'text-embedding-v3',
          path: `${dashScope}/embeddings/text-embedding/text-embedding`,
          fields: 'model input parameters',
          texts: ({ input }) => (input as { texts: unknown }).texts,
          length: ({ parameters }) => (parameters as { dimension?: number } | undefined)?.dimension,
        },
        (vectors, tokens) => ({
          request_id: 'r',
          output: { embeddings: vectors.map((embedding, index) => ({ text_index: index, embedding })) },
          usage: { total_tokens: tokens },
        }),
      ),
      images: images({
        model: 'wanx2.1-t2i-turbo',
        path: `${dashScope}/aigc/text2image/image-synthesis`,
        fields: 'model input parameters',
        needs: 'model input',
        results: asUrls,
        refused: noStream,
        make({ parameters }, { headers }) {
          const { n = 1 } = (parameters ?? {}) as { n?: number };
          const output = { task_id: `task-${n}`, task_status: 'PENDING' };
          const only = { code: 'AccessDenied', message: 'does not support synchronous calls', request_id: 'r' };
          const isJob = headers['x-dashscope-async'] === 'enable';
          return { reply: isJob ? json({ output, request_id: 'r' }) : json(only, 403), count: n };
        },
        poll(path) {
          const [, count] = /^\/api\/v1\/tasks\/task-(\d+)$/.exec(path) ?? [];
          if (count === undefined) return null;
          const results = Array.from({ length: Number(count) }, () => ({ url: address }));
          const output = { task_id: `task-${count}`, task_status: 'SUCCEEDED', results };
          return json({ request_id: 'r', output, usage: { image_count: Number(count) } });
        },
      }),
      rerank: rerank({
        path: `${dashScope}/rerank/text-rerank/text-rerank`,
        fields: 'model input parameters',
        needs: 'model input',
        make({ input, parameters }) {
          const asked = { ...(input as Fields), ...(parameters as Fields) };
          const results = rankedBy(asked).map((result) => ({
            ...result,
            ...((asked as Fields)['return_documents'] === true && {
              document: { text: list((asked as Fields)['documents'])[result.index] },
            }),
          }));
          return { reply: json({ request_id: 'r', output: { results }, usage: { total_tokens: 12 } }), count: 12 };
        },
      }),
    },
  },
  19: family,
  20: family,
  24: {
    credential: ['x-goog-api-key', 'sk-upstream-secret'],
    wires: {
      embeddings: {
        model: 'gemini-embedding-001',
        path: '/v1beta/models/{model}:batchEmbedContents',
        fields: 'requests',
        needs: 'requests',
        sold: 'input',
        // It reports no tokens, and the gateway counts them: each of the texts is one.
        make({ requests }) {
          const asked = list(requests) as Array<{
            content: { parts: [{ text: string }] };
            outputDimensionality?: number;
          }>;
          const vectors = asked.map(({ content, outputDimensionality: length }) =>
            vectorOf(content.parts[0].text, length),
          );
          return { reply: json({ embeddings: vectors.map((values) => ({ values })) }), count: vectors.length };
        },
      },
      images: images({ ...imagen, model: 'imagen-4.0-generate-001', path: '/v1beta/models/{model}:predict' }),
    },
  },
  25: family,
  26: {
    credential: bearer,
    wires: {
      embeddings: embeddings({ model: 'embedding-3', path: '/api/paas/v4/embeddings' }),
      images: images({
        model: 'cogview-4',
        path: '/api/paas/v4/images/generations',
        fields: 'model prompt quality size watermark_enabled user_id',
        results: asUrls,
        refused: oneImage,
        make: (fields) => drawsUrls(fields, 1),
      }),
    },
  },
  31: family,
  34: {
    credential: bearer,
    wires: {
      embeddings: ownEmbeddings(
        {
          model: 'embed-v4.0',
          path: '/v2/embed',
          fields: 'model texts images inputs input_type embedding_types output_dimension max_tokens truncate',
          needs: 'model texts input_type',
          texts: ({ texts }) => texts,
          length: ({ output_dimension: length }) => length,
        },
        (vectors, tokens) => ({
          id: 'e',
          embeddings: { float: vectors },
          texts: [],
          meta: { billed_units: { input_tokens: tokens } },
        }),
      ),
      rerank: rerank({
        model: 'rerank-v3.5',
        sold: 'request',
        fields: 'model query documents top_n rank_fields return_documents max_chunks_per_doc',
        make(fields) {
          const results = rankedBy(fields).map((result) => ({
            ...result,
            ...(fields['return_documents'] === true && { document: { text: list(fields['documents'])[result.index] } }),
          }));
          const meta = { api_version: { version: '1' }, billed_units: { search_units: 1 } };
          return { reply: json({ id: 'rerank-1', results, meta }), count: 1 };
        },
      }),
    },
  },
  35: {
    credential: bearer,
    wires: {
      embeddings: ownEmbeddings(
        {
          model: 'embo-01',
          path: '/v1/embeddings',
          fields: 'model texts type',
          needs: 'model texts type',
          texts: ({ texts }) => texts,
          results: wholeLength,
        },
        (vectors, tokens) => ({
          vectors,
          total_tokens: tokens,
          base_resp: { status_code: 0, status_msg: 'success' },
        }),
      ),
      speech: speech({
        model: 'speech-02-hd',
        path: '/v1/t2a_v2',
        fields:
          'model text stream stream_options voice_setting audio_setting pronunciation_dict timber_weights language_boost output_format',
        needs: 'model text voice_setting',
        refused: onlySound,
        make({ text }) {
          const base_resp = { status_code: 0, status_msg: 'success' };
          const data = { audio: sound.toString('hex'), status: 2 };
          return { reply: json({ data, base_resp, trace_id: 't' }), count: String(text).length };
        },
      }),
    },
  },
  38: {
    credential: bearer,
    wires: {
      // Further fields are "extra inputs", which it refuses (QuantumNous/new-api#1941).
      embeddings: embeddings({
        model: 'jina-embeddings-v3',
        fields: 'model input task dimensions normalized embedding_type late_chunking truncate',
      }),
      rerank: rerank({ model: 'jina-reranker-v2-base-multilingual' }),
    },
  },
  39: {
    other: 'acct',
    credential: bearer,
    wires: {
      embeddings: embeddings({ model: '@cf/baai/bge-m3', path: `${account}/v1/embeddings` }),
      images: images({
        model: '@cf/black-forest-labs/flux-1-schnell',
        path: `${account}/run/{model}`,
        fields: 'prompt steps seed width height negative_prompt guidance',
        needs: 'prompt',
        refused: oneImage,
        make: () => ({ reply: json({ result: { image: dot }, success: true, errors: [], messages: [] }), count: 1 }),
      }),
      transcription: transcription({
        model: '@cf/openai/whisper-large-v3-turbo',
        path: `${account}/run/{model}`,
        fields: 'audio task language vad_filter initial_prompt prefix',
        needs: 'audio',
        refused: noStream,
        results: { text: { text: heard } },
        make() {
          const info = { language: 'english', duration: recordedSeconds };
          const result = { text: heard, word_count: 2, transcription_info: info, segments: [segment] };
          return { reply: json({ result, success: true, errors: [], messages: [] }), count: recordedSeconds };
        },
      }),
    },
  },
  40: {
    credential: bearer,
    wires: {
      embeddings: embeddings({ model: 'Qwen/Qwen3-Embedding-0.6B' }),
      rerank: rerank({
        model: 'BAAI/bge-reranker-v2-m3',
        fields: 'model query documents instruction top_n return_documents max_chunks_per_doc overlap_tokens',
        make(fields) {
          const results = rankedBy(fields).map((result) => ({
            ...result,
            document: fields['return_documents'] === true ? { text: list(fields['documents'])[result.index] } : null,
          }));
          const tokens = { input_tokens: 12, output_tokens: 0 };
          const meta = { billed_units: { ...tokens, search_units: 0, classifications: 0 }, tokens };
          return { reply: json({ id: 'rerank-1', results, meta }), count: 12 };
        },
      }),
      images: images({
        model: 'Kwai-Kolors/Kolors',
        fields:
          'model prompt negative_prompt image_size batch_size seed num_inference_steps guidance_scale cfg image image2 image3',
        results: asUrls,
        refused: noStream,
        make({ batch_size: number = 1 }) {
          const made = Array.from({ length: Number(number) }, () => ({ url: address }));
          return { reply: json({ images: made, timings: { inference: 1.25 }, seed: 7 }), count: made.length };
        },
      }),
      speech: speech({
        model: 'FunAudioLLM/CosyVoice2-0.5B',
        fields: 'model input voice response_format sample_rate stream speed gain references',
        refused: onlySound,
      }),
      transcription: transcription({
        model: 'FunAudioLLM/SenseVoiceSmall',
        fields: 'model file',
        refused: { ...noStream, verbose_json: /response_format is not supported/ },
        results: { text: { text: heard } },
      }),
    },
  },
  41: {
    atGoogle: true,
    credential: ['authorization', 'Bearer scripted'],
    wires: {
      embeddings: ownEmbeddings(
        {
          model: 'text-embedding-005',
          path: `${atGoogle}:predict`,
          fields: 'instances parameters',
          texts: ({ instances }) => (instances as Array<{ content: string }>).map(({ content }) => content),
          length: ({ parameters }) => (parameters as { outputDimensionality?: number }).outputDimensionality,
        },
        (vectors) => ({
          predictions: vectors.map((values) => ({
            embeddings: { values, statistics: { token_count: tokensOfText, truncated: false } },
          })),
        }),
      ),
      images: images({ ...imagen, model: 'imagen-4.0-generate-001', path: `${atGoogle}:predict` }),
    },
  },
  42: {
    credential: bearer,
    wires: {
      // Further fields are "extra_forbidden" (https://docs.mistral.ai/api/endpoint/embeddings).
      embeddings: embeddings({
        model: 'codestral-embed',
        fields: 'model input metadata output_dimension output_dtype encoding_format',
        make: ({ output_dimension: dimensions, ...fields }, request) =>
          everything.embeddings.make({ ...fields, ...(dimensions !== undefined && { dimensions }) }, request),
      }),
    },
  },
  44: { credential: bearer, wires: { embeddings: embeddings({ model: 'm3e-large', path: '/embeddings' }) } },
  45: {
    credential: bearer,
    wires: {
      embeddings: embeddings({ model: 'doubao-embedding-large-text-250515', path: '/api/v3/embeddings' }),
      images: images({
        model: 'doubao-seedream-3-0-t2i-250415',
        path: '/api/v3/images/generations',
        fields:
          'model prompt image size seed guidance_scale watermark response_format stream sequential_image_generation sequential_image_generation_options optimize_prompt_options',
        results: {
          ...asUrls,
          stream: { events: ['image_generation.partial_succeeded', 'image_generation.completed'], images: [address] },
        },
        refused: { two: oneImage.two },
        make(fields) {
          if (fields['stream'] !== true) return drawsUrls(fields, 1);
          const drawn = { type: 'image_generation.partial_succeeded', image_index: 0, url: address };
          const done = { type: 'image_generation.completed', usage: { generated_images: 1 } };
          return { reply: events([JSON.stringify(drawn), JSON.stringify(done)]), count: 1 };
        },
      }),
    },
  },
  46: {
    credential: bearer,
    wires: {
      embeddings: embeddings({ model: 'bge-large-zh', path: '/v2/embeddings' }),
      images: images({
        model: 'irag-1.0',
        path: '/v2/images/generations',
        fields: 'model prompt refer_image n size response_format negative_prompt seed steps guidance style user',
        results: asUrls,
        refused: noStream,
        make: (fields) => drawsUrls(fields, fields['n']),
      }),
      rerank: rerank({
        model: 'bce-reranker-base',
        path: '/v2/rerank',
        fields: 'model query documents top_n user',
        // The documents are a part of every response.
        results: Object.fromEntries(['usual', 'usual at /v2'].map((name) => [name, { results: rankedTexts }])),
        make(fields) {
          const texts = list(fields['documents']);
          const results = rankedBy(fields).map((result) => ({ ...result, document: texts[result.index] }));
          return {
            reply: json({ id: 'as-1', object: 'rerank_list', results, usage: { total_tokens: 12 } }),
            count: 12,
          };
        },
      }),
    },
  },
  47: family,
  48: {
    credential: bearer,
    wires: {
      images: images({
        model: 'grok-imagine-image',
        fields: 'model prompt n response_format aspect_ratio resolution quality user',
        results: asUrls,
        refused: noStream,
        make: (fields) => drawsUrls(fields, fields['n']),
      }),
      imageEdits: edits({
        model: 'grok-imagine-image',
        fields: 'model prompt image images n response_format aspect_ratio resolution quality user',
        results: asUrls,
        refused: noStream,
        make: (fields) => drawsUrls(fields, fields['n']),
      }),
    },
  },
  53: { credential: bearer, wires: { embeddings: embeddings({ model: 'bge-m3' }) } },
  58: {
    ...family,
    other: JSON.stringify({
      endpoints: Object.fromEntries(choosable.map((name) => [name, `/chosen/${name}`])),
    }),
    wires: Object.fromEntries(choosable.map((name) => [name, { ...everything[name], path: `/chosen/${name}` }])),
  },
  60: family,
  62: openModels,
  63: openModels,
};

/** A cell of the table: an endpoint of a channel type. */
export interface MediaCell {
  readonly type: number;
  readonly endpoint: MediaEndpoint;
  readonly provider: MediaProvider;
  readonly wire: MediaWire;
}

export interface MediaScript {
  readonly reply: Reply;
  /** Refusals of requests, each with its reason. */
  readonly refusals: string[];
  /** The number of what each request was worth, in units of quota. */
  readonly worth: number[];
  /** The bodies of these requests. */
  readonly bodies: Buffer[];
}

/** The path and query at which the provider of a cell is called. */
const pathOf = ({ path, model }: MediaWire): string => path.replace('{model}', model);

/** The provider of some cells of one channel type. */
export function mediaScript(cells: readonly [MediaCell, ...MediaCell[]]): MediaScript {
  const refusals: string[] = [];
  const worth: number[] = [];
  const bodies: Buffer[] = [];
  const reply: Reply = (response, request) => {
    const { provider, wire } = cells.find(({ wire: each }) => pathOf(each) === request.path) ?? cells[0];
    const aside = cells.map((cell) => asideOf(cell.wire, request)).find((each) => each !== null);
    if (aside) return aside(response, request);
    const fields = fieldsOf(request);
    const refusal = refusalOf(provider, wire, request, fields);
    if (refusal !== null) {
      refusals.push(refusal);
      return json({ error: { message: refusal, type: 'invalid_request_error' } }, 400)(response, request);
    }
    const { reply: made, count } = wire.make(fields, request);
    worth.push(count * mediaPrices[wire.sold].quota);
    bodies.push(request.rawBody);
    return made(response, request);
  };
  return { reply, refusals, worth, bodies };
}

/** Requests for a credential, and for the result of a job. */
function asideOf(wire: MediaWire, { path }: ReceivedRequest): Reply | null {
  if (path.startsWith('/oauth/2.0/token?') || path === '/token')
    return json({ access_token: 'scripted', expires_in: 3600, token_type: 'Bearer' });
  return wire.poll?.(path) ?? null;
}

function fieldsOf(request: ReceivedRequest): Fields {
  const type = String(request.headers['content-type']);
  if (!type.startsWith('multipart/')) return request.body ?? {};
  const form = readForm(request.rawBody, type);
  const files = form.filter(({ value }) => typeof value !== 'string').map(({ name }) => [name, 'a file'] as const);
  return { ...textFields(form), ...Object.fromEntries(files) };
}

function refusalOf(provider: MediaProvider, wire: MediaWire, request: ReceivedRequest, fields: Fields): string | null {
  if (request.method !== 'POST' || request.path !== pathOf(wire))
    return `no such path: ${request.method} ${request.path}`;
  const [header, value] = provider.credential ?? [];
  if (header !== undefined && request.headers[header] !== value) return `wrong credential in ${header}`;
  const taken = new Set(wire.fields.split(' '));
  const unknown = Object.keys(fields).filter((name) => !taken.has(name));
  if (unknown.length > 0) return `Extra inputs are not permitted: ${unknown.join(', ')}`;
  const missing = wire.needs.split(' ').filter((name) => fields[name] === undefined);
  if (missing.length > 0) return `Field required: ${missing.join(', ')}`;
  if (taken.has('model') && fields['model'] !== wire.model) return `no such model: ${String(fields['model'])}`;
  return wire.refuses?.(fields) ?? null;
}
