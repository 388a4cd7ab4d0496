/* eslint-disable @typescript-eslint/no-deprecated -- OpenAI replaces its model for translations, and other providers do not. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany } from 'ai';
import OpenAI, { toFile } from 'openai';
import { dot, recordedSeconds, vectorOf } from '../support/upstream/media.js';
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

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

describe.each(cells.map((cell) => [`type ${cell.type}: ${cell.endpoint}`, cell] as const))('%s', (_name, cell) => {
  let charged = 0;

  it.each(callsOf(cell))('$method, $name', async ({ method, params, result, refused }) => {
    const client = new OpenAI({ apiKey: site.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
    const script = site.open(cell);
    const asked = methods[method]?.(client, { ...params, model: modelOf(cell) });
    if (refused) {
      const error = await asked?.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect((error as Error).message).toMatch(refused);
      expect([script.refusals, script.worth]).toEqual([[], []]);
      return;
    }
    expect(await asked).toEqual(result);
    expect(script.refusals).toEqual([]);
    expect((await site.charges([cell], charged + 1)).slice(charged)).toEqual(script.worth);
    charged++;
  });

  if (cell.endpoint === 'embeddings')
    it('embedMany of the AI SDK', async () => {
      const script = site.open(cell);
      const { embeddingModel } = createOpenAICompatible({
        name: 'tollgate',
        apiKey: site.key,
        baseURL: `${site.url}/v1`,
      });
      const { embeddings } = await embedMany({
        model: embeddingModel(modelOf(cell)),
        values: ['a', 'b'],
        maxRetries: 0,
      });
      expect([embeddings, script.refusals]).toEqual([[vectorOf('a'), vectorOf('b')], []]);
      expect((await site.charges([cell], charged + 1)).slice(charged)).toEqual(script.worth);
      charged++;
    });
});

it('leaves no reservation, and no charge without an explanation', async () => {
  expect(await site.faults()).toEqual([]);
});
