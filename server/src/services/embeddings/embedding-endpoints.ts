import { attemptOnce, type OneShotEndpoint, type ShownAnswer } from '../../gateway/send/attempt-once.js';
import type { OneShotAnswer } from '../../dialects/contract.js';
import type { Attempt } from '../../gateway/send/attempt.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { textsAtOnce } from '../../gateway/admit/guardrails/body-texts.js';
import { textsIn } from '../../gateway/reserve/metering/text-meter.js';
import { inputPrompt, rerankPrompt } from '../../gateway/reserve/metering/input-prompts.js';
import type { PromptTexts } from '../../gateway/reserve/metering/prompt.js';
import { asFields, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { checkContainers } from '../../dialects/priced-fields.js';
import { needList } from '../../dialects/neutral/given.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { asBase64, asFloats } from '../../dialects/languages/openai/embedding-vectors.js';
import type { IncomingRequest, OpenedBody, ParsedRequest } from '../../gateway/request.js';
import { inputTariff } from '../../gateway/reserve/tariffs/other-tariffs.js';
import { modelOf, openAIErrors, openJson } from '../chat/chat-endpoints.js';
import { needInput, withCode } from '../refusals.js';

function inOnePiece(body: Fields, model: string): ParsedRequest {
  checkContainers(body);
  return { body, model, stream: false, wantsUsage: false, maxOutput: 0 };
}

/** `/v1/engines/{model}/embeddings`: the oldest clients name the model in the path. */
const enginePath = /^\/v1\/engines\/([^/]+)\/embeddings$/;

function openEmbeddings(rawBody: Buffer, { path }: IncomingRequest): OpenedBody {
  const body = parseJsonBody(rawBody);
  const engine = enginePath.exec(path)?.[1];
  if (engine === undefined || body['model']) return { body, model: modelOf(body) };
  const model = decodeURIComponent(engine);
  return { body: { ...body, model }, model };
}

export const embeddings: OneShotEndpoint = {
  name: 'embeddings',
  pick: (adapter) => adapter.embeddings,
  show: showEmbeddings,
  withUsage(body, { promptTokens }) {
    const fields = parseFields(body.toString('utf8'));
    const usage = { ...asFields(fields?.['usage']), prompt_tokens: promptTokens, total_tokens: promptTokens };
    return fields ? Buffer.from(JSON.stringify({ ...fields, usage })) : body;
  },
};

/** Converts vectors to the encoding that the client asked for. */
function showEmbeddings(answer: OneShotAnswer, { request }: Attempt): ShownAnswer {
  const fields = parseFields(answer.body.toString('utf8'));
  const changed = fields && (request.base64 ? asBase64(fields) : asFloats(fields));
  return changed ? { contentType: answer.contentType, body: Buffer.from(JSON.stringify(changed)) } : answer;
}

/** POST /v1/embeddings */
export const embeddingsEndpoint: Endpoint = {
  route: 'embeddings',
  operation: 'embeddings',
  tariff: inputTariff(({ body }, model) => inputPrompt(body['input'], model)),
  errors: () => openAIErrors,
  open: (rawBody, incoming) => withCode('invalid_embedding_request', () => openEmbeddings(rawBody, incoming)),
  parse: ({ body, model }, { path }) =>
    withCode('invalid_embedding_request', () => {
      needInput(body['input'], 'input', 'input is empty');
      const call = { ...inOnePiece(body, model), base64: body['encoding_format'] === 'base64' };
      const sent = { path: '/v1/embeddings', rawBody: Buffer.from(JSON.stringify(body)) };
      return enginePath.test(path) ? { ...call, sent } : call;
    }),
  texts: (body) => textsIn(body['input']),
  attempt: (attempt, client) => attemptOnce(attempt, embeddings, client),
};

const defaultModeration = 'text-moderation-stable';

/** The text alone: images of a moderation are free at OpenAI, and have no price elsewhere. */
const moderatedText = (input: unknown, model: string): PromptTexts => ({
  texts: inputPrompt(input, model).texts,
  fixed: 0,
});

/** POST /v1/moderations */
export const moderationsEndpoint: Endpoint = {
  route: 'moderations',
  operation: 'moderations',
  tariff: inputTariff(({ body }, model) => moderatedText(body['input'], model)),
  errors: () => openAIErrors,
  open(rawBody) {
    const body = parseJsonBody(rawBody);
    return { body, model: body['model'] ? modelOf(body) : defaultModeration };
  },
  parse({ body, model }) {
    needInput(body['input'], 'input');
    return inOnePiece(body, model);
  },
  texts: (body) => textsIn(body['input']),
  attempt: (attempt, client) =>
    attemptOnce(attempt, { name: 'moderations', pick: (adapter) => adapter.moderations }, client),
};

/** Cohere's version of the path. Providers of every type have the other one. */
const cohereVersion = '/v2/';

/** POST /v1/rerank, POST /v2/rerank */
export const rerankEndpoint: Endpoint = {
  route: 'rerank',
  operation: 'rerank',
  tariff: inputTariff(({ body }, model) => rerankPrompt(body, model)),
  errors: () => openAIErrors,
  open: openJson,
  parse({ body, model }, { path }) {
    withCode('invalid_query', () => needInput(body['query'], 'query', 'query is empty'));
    withCode('invalid_documents', () => {
      needInput(body['documents'], 'documents', 'documents is empty');
      needList(body['documents'], 'documents');
    });
    const call = inOnePiece(body, model);
    if (!path.startsWith(cohereVersion)) return call;
    return { ...call, sent: { path: '/v1/rerank', rawBody: Buffer.from(JSON.stringify(body)) } };
  },
  texts: ({ query, documents }) => textsAtOnce({ query, documents }),
  attempt: (attempt, client) => attemptOnce(attempt, { name: 'rerank', pick: (adapter) => adapter.rerank }, client),
};
