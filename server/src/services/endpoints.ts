import { z } from 'zod';
import type { Endpoint } from '../gateway/endpoint.js';
import { chatEndpoint, messagesEndpoint } from './chat/chat-endpoints.js';
import { completionsEndpoint, fimEndpoint } from './chat/completions-endpoint.js';
import { embeddingsEndpoint, moderationsEndpoint, rerankEndpoint } from './embeddings/embedding-endpoints.js';
import {
  imageEditsEndpoint,
  imageVariationsEndpoint,
  imagesEndpoint,
  speechEndpoint,
  transcriptionEndpoint,
  translationEndpoint,
} from './media/media-endpoints.js';
import { relayRoute, type RelayRoute } from './relay-route.js';
import {
  anything,
  chatBody,
  chatExample,
  chatResponse,
  file,
  flag,
  input,
  list,
  message,
  model,
  open,
  stream,
  text,
  usage,
  whole,
} from './relay-shapes.js';

/** Prefixes of the paths of OpenAI's API. Clients of Azure use `/openai/…` and `/anthropic/v1`. */
export const prefixes = ['/v1', '/hf/v1', '/v1beta/openai', '/openai', '/openai/v1', '/anthropic/v1'] as const;

const embeddingsResponse = open({ data: list }, { object: z.literal('list'), usage });
const imageResponse = open(
  {},
  { created: whole, data: z.array(open({}, { url: text, b64_json: text })), usage: anything },
);
const audioForm = open({ file }, { model, language: text, response_format: text });
const transcript = open({}, { text });
const rerankShapes = {
  body: open(
    { model, query: text, documents: z.array(z.union([text, anything])) },
    { top_n: whole, return_documents: flag },
  ),
  response: open({ results: list }, {}),
  example: { body: { model: 'rerank-english-v3.0', query: 'tea', documents: ['coffee', 'tea'] } },
};

/** The endpoints under each of the prefixes. */
export const endpointRoutes: ReadonlyArray<RelayRoute<Endpoint>> = [
  relayRoute('POST /v1/chat/completions', chatEndpoint, {
    summary: 'Chat',
    body: chatBody,
    response: chatResponse,
    streams: true,
    example: { body: chatExample },
  }),
  relayRoute('POST /v1/messages', messagesEndpoint, {
    summary: 'Message, in the dialect of Anthropic',
    body: open(
      { model, messages: z.array(message), max_tokens: whole },
      { system: input, stream, tools: list, tool_choice: anything, thinking: anything },
    ),
    response: open(
      { id: text, type: z.literal('message'), content: list },
      { role: text, stop_reason: text, usage: anything },
    ),
    streams: true,
    example: { body: { model: 'gpt-4o', max_tokens: 100, messages: [{ role: 'user', content: 'Say hello' }] } },
  }),
  relayRoute('POST /v1/completions', completionsEndpoint, {
    summary: 'Legacy completion',
    body: open({ model, prompt: input }, { stream, max_tokens: whole }),
    response: open({}, { id: text, choices: list, usage }),
    streams: true,
    example: { body: { model: 'gpt-4o', prompt: 'Say hello' } },
  }),
  relayRoute('POST /v1/fim/completions', fimEndpoint, {
    summary: 'Completion between a prompt and a suffix, in the dialect of Mistral',
    body: open({ model, prompt: text }, { suffix: text, stream, max_tokens: whole }),
    response: chatResponse,
    streams: true,
    example: { body: { model: 'gpt-4o', prompt: 'def add(a, b):', suffix: 'print(add(1, 2))' } },
  }),
  relayRoute('POST /v1/embeddings', embeddingsEndpoint, {
    summary: 'Embeddings',
    body: open({ model, input }, { dimensions: whole, encoding_format: text }),
    response: embeddingsResponse,
    example: { body: { model: 'text-embedding-3-small', input: 'hello' } },
  }),
  relayRoute('POST /v1/engines/:model/embeddings', embeddingsEndpoint, {
    summary: 'Embeddings of a model that the path names',
    path: { model: text.describe('Name') },
    body: open({ input }, {}),
    response: embeddingsResponse,
    example: { path: { model: 'text-embedding-3-small' }, body: { input: 'hello' } },
  }),
  relayRoute('POST /v1/moderations', moderationsEndpoint, {
    summary: 'Moderation',
    body: open({ input }, { model }),
    response: open({ results: list }, { id: text }),
    example: { body: { model: 'omni-moderation-latest', input: 'hello' } },
  }),
  relayRoute('POST /v1/rerank', rerankEndpoint, {
    summary: 'Order documents by relevance',
    ...rerankShapes,
  }),
  relayRoute('POST /v1/images/generations', imagesEndpoint, {
    summary: 'Image',
    body: open({ prompt: text }, { model, n: whole, size: text, quality: text, response_format: text }),
    response: imageResponse,
    streams: true,
    example: { body: { model: 'dall-e-3', prompt: 'a lighthouse' } },
  }),
  relayRoute('POST /v1/images/edits', imageEditsEndpoint, {
    summary: 'Change an image',
    description: 'A form, or JSON with `images` and `mask`: each an object with an `image_url` or a `file_id`.',
    form: open({ prompt: text, image: file }, { model }),
    response: imageResponse,
    example: {},
  }),
  relayRoute('POST /v1/images/variations', imageVariationsEndpoint, {
    summary: 'Variations of an image',
    description: 'At channels that offer them: Xinference, and those with a URL of their own.',
    form: open({ image: file }, { model, n: whole, size: text }),
    response: imageResponse,
    example: {},
  }),
  relayRoute('POST /v1/audio/speech', speechEndpoint, {
    summary: 'Speech',
    body: open({ input: text, voice: text }, { model, response_format: text, speed: z.number() }),
    media: 'audio/mpeg',
    example: { body: { model: 'tts-1', input: 'hello', voice: 'alloy' } },
  }),
  relayRoute('POST /v1/audio/transcriptions', transcriptionEndpoint, {
    summary: 'Text of a recording',
    form: audioForm,
    response: transcript,
    example: {},
  }),
  relayRoute('POST /v1/audio/translations', translationEndpoint, {
    summary: 'English text of a recording',
    form: audioForm,
    response: transcript,
    example: {},
  }),
];

/** Clients of Cohere call reranking at its second version, and nothing else of it is served. */
export const cohereRoutes: ReadonlyArray<RelayRoute<Endpoint>> = [
  relayRoute('POST /v2/rerank', rerankEndpoint, {
    summary: 'Order documents by relevance, at the path of Cohere',
    ...rerankShapes,
  }),
];

/** The endpoint of each path under one of the prefixes. */
export const endpoints: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  endpointRoutes.map(({ route, served }) => [route.slice('POST /v1'.length), served]),
);
