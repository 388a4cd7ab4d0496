import { InvalidInputError } from '../../shared/errors.js';
import { attemptOnce, type OneShotEndpoint } from '../../gateway/send/attempt-once.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { asFieldsList, asText, either, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { needFields, needList, optionalCount } from '../../dialects/neutral/given.js';
import { asFloats } from '../../dialects/languages/openai/embedding-vectors.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import type { ParsedRequest } from '../../gateway/request.js';
import { geminiErrors } from '../chat/chat-endpoints.js';
import { embeddingsEndpoint } from './embedding-endpoints.js';
import { geminiCallOf } from '../chat/gemini-path.js';

/*
 * Google's embedding API, served by every embedding provider. The request is converted to OpenAI's shape, and the
 * response back to Google's.
 */

function textOf(content: unknown, field: string): string {
  const text = asFieldsList(needFields(content, field)['parts'])
    .map((part) => asText(part['text']))
    .join('');
  if (text === '') throw new InvalidInputError(`${field} is empty`, field);
  return text;
}

const wordsWithoutPlace = ['taskType', 'task_type', 'title'];

interface Asked {
  readonly input: string[];
  readonly dimensions: number | undefined;
}

function callOf(model: string, { input, dimensions }: Asked): ParsedRequest {
  const body = { model, input, ...(dimensions ? { dimensions } : {}), encoding_format: 'float' };
  return {
    body,
    model,
    stream: false,
    wantsUsage: false,
    maxOutput: 0,
    sent: { path: '/v1/embeddings', rawBody: Buffer.from(JSON.stringify(body)) },
  };
}

function askedIn(request: Fields, at: string): Asked {
  const dimensions = either(request, 'outputDimensionality', 'output_dimensionality');
  return {
    input: [textOf(request['content'], `${at}content`)],
    dimensions: optionalCount(dimensions, `${at}outputDimensionality`),
  };
}

const vectorsIn = (body: Buffer): unknown[] => {
  const answer = parseFields(body.toString('utf8')) ?? {};
  return asFieldsList((asFloats(answer) ?? answer)['data']).map((entry) => entry['embedding']);
};

const shownAs = (show: (vectors: unknown[]) => Fields): OneShotEndpoint => ({
  name: 'embeddings',
  pick: (adapter) => adapter.embeddings,
  show: ({ body }) => ({
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(show(vectorsIn(body)))),
  }),
});

const oneVector = shownAs(([values]) => ({ embedding: { values } }));
const allVectors = shownAs((vectors) => ({ embeddings: vectors.map((values) => ({ values })) }));

const shared: Omit<Endpoint, 'parse' | 'attempt'> = {
  ...embeddingsEndpoint,
  errors: () => geminiErrors,
  open: (rawBody, incoming) => ({ body: parseJsonBody(rawBody), model: geminiCallOf(incoming).model }),
};

const droppedIn = (requests: readonly Fields[]): string[] =>
  wordsWithoutPlace.filter((name) => requests.some((request) => request[name] !== undefined));

/** POST /v1beta/models/{model}:embedContent */
export const embedContentEndpoint: Endpoint = {
  ...shared,
  parse: ({ body, model }) => ({ ...callOf(model, askedIn(body, '')), dropped: droppedIn([body]) }),
  attempt: (attempt, client) => attemptOnce(attempt, oneVector, client),
};

/** POST /v1beta/models/{model}:batchEmbedContents */
export const batchEmbedEndpoint: Endpoint = {
  ...shared,
  parse({ body, model }) {
    const requests = needList(body['requests'], 'requests').map((each, index) =>
      needFields(each, `requests[${index}]`),
    );
    if (requests.length === 0) throw new InvalidInputError('requests is empty', 'requests');
    const asked = requests.map((request, index) => askedIn(request, `requests[${index}].`));
    const [first] = asked;
    if (asked.some(({ dimensions }) => dimensions !== first?.dimensions)) {
      throw new InvalidInputError('requests must all have the same outputDimensionality', 'requests');
    }
    const call = callOf(model, { input: asked.flatMap(({ input }) => input), dimensions: first?.dimensions });
    return { ...call, dropped: droppedIn(requests) };
  },
  attempt: (attempt, client) => attemptOnce(attempt, allVectors, client),
};
