/* eslint-disable @typescript-eslint/no-deprecated -- OpenAI replaces its model for translations, and other providers do not. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany, generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import { address, dot, recordedSeconds, vectorOf } from '../support/upstream/media.js';
import { wav } from '../support/wav.js';
import { callsOf, mediaCells, modelOf, type MediaCall } from './clients/media-calls.js';
import { startMediaSite, type MediaSite } from './clients/media-site.js';

/**
 * OpenAI's SDK, and the AI SDK, call every method of embeddings, moderation, reranking, images and audio at every channel type
 * that serves it. `tests/agents/media.agent.ts` does the same in Python.
 */
jest.setTimeout(90_000);

const cells = mediaCells();
let site: MediaSite;

beforeAll(async () => {
  site = await startMediaSite(cells);
});
afterAll(() => site.stop());

type Params = MediaCall['params'];
type Shows = (client: OpenAI, params: Params & { readonly model: string }) => Promise<unknown>;

const recording = () => toFile(wav(recordedSeconds), 'talk.wav', { type: 'audio/wav' });
const picture = () => toFile(Buffer.from(dot, 'base64'), 'dot.png', { type: 'image/png' });

interface Piece {
  readonly type: string;
  readonly b64_json?: string;
  readonly url?: string;
  readonly audio?: string;
  readonly text?: string;
}

async function collected(stream: unknown): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of stream as AsyncIterable<Piece>) pieces.push(piece);
  return pieces;
}
const typesOf = (pieces: readonly Piece[]): string[] => pieces.map(({ type }) => type);
const imagesIn = (data: ReadonlyArray<{ readonly b64_json?: string; readonly url?: string }> = []): string[] =>
  data.flatMap(({ b64_json: encoded, url }) => encoded ?? url ?? []);

async function drawn(answer: unknown, { stream }: Params): Promise<unknown> {
  if (!stream) return { images: imagesIn((answer as OpenAI.ImagesResponse).data) };
  const pieces = await collected(answer);
  return { events: typesOf(pieces), images: imagesIn(pieces) };
}

async function transcribed(answer: unknown, { stream, response_format: format }: Params): Promise<unknown> {
  if (stream) {
    const pieces = await collected(answer);
    return { events: typesOf(pieces), text: pieces.at(-1)?.text };
  }
  if (typeof answer === 'string') return { text: answer };
  const { text, language, duration, segments } = answer as OpenAI.Audio.TranscriptionVerbose;
  return format === 'verbose_json'
    ? { text, language, duration, segments: segments?.map((each) => each.text) }
    : { text };
}

async function ranked(answer: PromiseLike<unknown>): Promise<unknown> {
  const { results } = (await answer) as { results: Ranked[] };
  return {
    results: results.map(({ index, relevance_score: score, document }) => ({
      index,
      score,
      ...(document && { text: document.text }),
    })),
  };
}

/** The methods of the SDK, each with what it shows. There is no SDK for reranking: Cohere's and Jina's form is one. */
const methods: Readonly<Record<string, Shows>> = {
  async 'embeddings.create'(client, params) {
    const { data } = await client.embeddings.create(params as unknown as OpenAI.EmbeddingCreateParams);
    return { vectors: data.map(({ embedding }) => (typeof embedding === 'string' ? embedding : [...embedding])) };
  },
  async 'moderations.create'(client, params) {
    const { results } = await client.moderations.create(params as unknown as OpenAI.ModerationCreateParams);
    return {
      flagged: results.map(({ flagged }) => flagged),
      violence: results.map(({ category_scores: scores }) => scores.violence),
    };
  },
  rerank: (client, params) => ranked(client.post('/rerank', { body: params })),
  'rerank at /v2': (client, params) => ranked(client.post(`${site.url}/v2/rerank`, { body: params })),
  'images.generate': async (client, params) =>
    drawn(await client.images.generate(params as unknown as OpenAI.ImageGenerateParams), params),
  async 'images.edit'(client, params) {
    const asked = { ...params, image: await picture() };
    return drawn(await client.images.edit(asked as unknown as OpenAI.ImageEditParams), params);
  },
  'images.createVariation': async (client, params) =>
    drawn(await client.images.createVariation({ ...params, image: await picture() }), params),
  async 'audio.speech.create'(client, params) {
    const answer = await client.audio.speech.create(params as unknown as OpenAI.Audio.SpeechCreateParams);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (params['stream_format'] !== 'sse') return { sound: bytes.toString('base64') };
    const pieces = [...String(bytes).matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Piece);
    return { events: typesOf(pieces), sound: pieces.flatMap(({ audio }) => audio ?? []).join('') };
  },
  async 'audio.transcriptions.create'(client, params) {
    const asked = { ...params, file: await recording() };
    return transcribed(
      await client.audio.transcriptions.create(asked as unknown as OpenAI.Audio.TranscriptionCreateParams),
      params,
    );
  },
  async 'audio.translations.create'(client, params) {
    const asked = { ...params, file: await recording() };
    return transcribed(
      await client.audio.translations.create(asked as unknown as OpenAI.Audio.TranslationCreateParams),
      params,
    );
  },
};

/** The AI SDK at the gateway. It loads images that come as addresses. */
const aiSdk = () =>
  createOpenAICompatible({
    name: 'tollgate',
    apiKey: site.key,
    baseURL: `${site.url}/v1`,
    fetch: (input, init) =>
      input === address ? Promise.resolve(new Response(Buffer.from(dot, 'base64'))) : fetch(input, init),
  });

/** The number of images that a provider was shown, in a form or in JSON. */
const dotsIn = (body: Buffer): number =>
  (['latin1', 'base64'] as const)
    .map((encoding) => Buffer.from(dot, 'base64').toString(encoding))
    .reduce((count, image) => count + body.toString('latin1').split(image).length - 1, 0);

const edited = (shown: number) => ({ text: 'a house', images: Array.from({ length: shown }, () => dot) });
interface Generation {
  readonly name: string;
  readonly prompt: string | { readonly text: string; readonly images: string[] };
  readonly n: number;
  /** The number of images that the provider has to be shown. */
  readonly shown: number;
}
const generations: Readonly<Record<'images' | 'imageEdits', readonly Generation[]>> = {
  images: [
    { name: 'one', prompt: 'a house', n: 1, shown: 0 },
    { name: 'two', prompt: 'a house', n: 2, shown: 0 },
  ],
  imageEdits: [
    { name: 'one of one', prompt: edited(1), n: 1, shown: 1 },
    { name: 'two of one', prompt: edited(1), n: 2, shown: 1 },
    { name: 'one of two', prompt: edited(2), n: 1, shown: 2 },
  ],
};

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

describe.each(cells.map((cell) => [`type ${cell.type}: ${cell.endpoint}`, cell] as const))('%s', (_name, cell) => {
  let charged = 0;

  it.each(callsOf(cell))('$method, $name', async ({ method, params, result, refused, refusal }) => {
    const client = new OpenAI({ apiKey: site.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
    const script = site.open(cell);
    const asked = methods[method]?.(client, { ...params, model: modelOf(cell) });
    if (refused) {
      const error = await asked?.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect((error as Error).message).toMatch(refused);
      expect([script.refusals, script.worth]).toEqual([refusal === undefined ? [] : [refusal], []]);
      return;
    }
    expect(await asked).toEqual(result);
    expect(script.refusals).toEqual([]);
    expect((await site.charges([cell], charged + 1)).slice(charged)).toEqual(script.worth);
    charged++;
    // Texts, or parts with an image, are the provider's to read.
    if (cell.endpoint === 'moderations')
      expect(JSON.parse(String(script.bodies[0]))).toMatchObject({ input: params['input'] });
  });

  if (cell.endpoint === 'embeddings')
    it('embedMany of the AI SDK', async () => {
      const script = site.open(cell);
      const { embeddings } = await embedMany({
        model: aiSdk().embeddingModel(modelOf(cell)),
        values: ['a', 'b'],
        maxRetries: 0,
      });
      expect([embeddings, script.refusals]).toEqual([[vectorOf('a'), vectorOf('b')], []]);
      expect((await site.charges([cell], charged + 1)).slice(charged)).toEqual(script.worth);
      charged++;
    });

  if (cell.endpoint === 'images' || cell.endpoint === 'imageEdits')
    it.each(generations[cell.endpoint])('generateImage of the AI SDK, $name', async ({ prompt, n, shown }) => {
      const script = site.open(cell);
      const asked = generateImage({ model: aiSdk().imageModel(modelOf(cell)), prompt, n, maxRetries: 0 });
      const refused = n === 2 && cell.wire.refused?.['two'];
      if (refused) {
        const error = await asked.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(APICallError);
        expect(error).toMatchObject({ statusCode: 400, message: expect.stringMatching(refused) as string });
        expect([script.refusals, script.worth]).toEqual([[], []]);
        return;
      }
      const images = (await asked).images.map(({ base64 }) => base64);
      expect([images, script.refusals]).toEqual([Array.from({ length: n }, () => dot), []]);
      expect(script.bodies.map(dotsIn)).toEqual([shown]);
      expect((await site.charges([cell], charged + 1)).slice(charged)).toEqual(script.worth);
      charged++;
    });
});

describe('images.createVariation at channels that do not offer it', () => {
  const serving = new Set(cells.filter(({ endpoint }) => endpoint === 'imageVariations').map(({ type }) => type));
  const others = cells.filter(({ type }, at) => type !== cells[at - 1]?.type && !serving.has(type));

  it.each(others.map((cell) => [cell.type, cell] as const))('type %i: refused by name', async (type, cell) => {
    const client = new OpenAI({ apiKey: site.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
    const script = site.open(cell);
    const error = await client.images
      .createVariation({ model: modelOf(cell), image: await picture() })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect((error as Error).message).toContain(`Channel type ${type} does not offer image variations`);
    expect([script.refusals, script.worth]).toEqual([[], []]);
  });
});

/** Speech, transcription and reranking of the AI SDK belong into the matrix as soon as this package has models for them. */
it('calls a model of each kind that the AI SDK has for gateways', () => {
  const kinds = Object.keys(aiSdk()).filter((name) => name.endsWith('Model'));
  expect(kinds.toSorted()).toEqual([
    ...['chatModel', 'completionModel', 'embeddingModel', 'imageModel', 'languageModel', 'textEmbeddingModel'],
  ]);
});

it('leaves no reservation, and no charge without an explanation', async () => {
  expect(await site.faults()).toEqual([]);
});
