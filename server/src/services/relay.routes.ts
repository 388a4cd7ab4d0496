import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownerOf } from '../console/channels/index.js';
import type { OptionValues } from '../options/option.service.js';
import { modelLimits, type PriceBook } from '../billing/prices/index.js';
import type { ClientResponse } from '../gateway/deliver/client-response.js';
import type { Endpoint } from '../gateway/endpoint.js';
import { countContentsEndpoint, generateEndpoint, messagesEndpoint } from './chat/chat-endpoints.js';
import { refuse, sendError } from './client-errors.js';
import { countMessages } from './count-messages.js';
import { atDeployment, deploymentEndpoints } from './deployments.js';
import { cohereRoutes, endpointRoutes, prefixes } from './endpoints.js';
import { batchEmbedEndpoint, embedContentEndpoint } from './embeddings/gemini-embeddings.js';
import { geminiMethodOf } from './chat/gemini-path.js';
import type { OfferedModel } from '../dialects/languages/openai/model-page.js';
import { modelList, modelListFormat, oneModel, unknownModel } from '../dialects/languages/openai/model-list.js';
import type { RelayRoutesDeps } from './built-relay.js';
import { addHostPaths } from './hosts/host-paths.js';
import { interactionRoutes } from './interactions/interaction-routes.js';
import { addObjectRoutes } from './objects/object-routes.js';
import { addResponsesRoutes } from './responses/responses-paths.js';
import { addRelayRoutes, relayRoute, takeCall, type ServeCall } from './relay-route.js';
import { anything, list, message, model, open, text, whole } from './relay-shapes.js';
import { addUnservedPaths, refuseUnserved } from './unserved-paths.js';
import type { IncomingRequest } from '../gateway/request.js';
import { hijack, leaveBodies, type Hijacked } from '../gateway/incoming-request.js';
import type { Caller } from '../gateway/admit/authentication.js';
import type { ListedModel, RoutingTable } from '../gateway/route/routing-table.js';

/** Endpoints of Google's methods, by the name after the colon. */
const geminiMethods: Readonly<Record<string, Endpoint>> = {
  generateContent: generateEndpoint,
  embedContent: embedContentEndpoint,
  batchEmbedContents: batchEmbedEndpoint,
  streamGenerateContent: generateEndpoint,
};

/** Every route that is called with an API key. Hot routes read the raw request and write the raw response. */
export function relayRoutes(deps: RelayRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    leaveBodies(app);
    addRelayRoutes(app, endpointRoutes, prefixes, (endpoint) => takeCall(served(endpoint), deps));
    addRelayRoutes(app, cohereRoutes, ['/v2'], (endpoint) => takeCall(served(endpoint), deps));
    addRelayRoutes(app, [countRoute], prefixes, (call) => takeCall(call, deps));
    addModelRoutes(app, modelRoutes, prefixes, deps);
    addResponsesRoutes(app, deps);
    addObjectRoutes(app, deps);
    addRelayRoutes(app, interactionRoutes, ['/v1beta', '/v1'], (served) => takeCall(served, deps));
    addDeploymentRoutes(app, deps);
    addBareModelList(app, deps);
    addGeminiRoutes(app, deps);
    addHostPaths(app, deps);
    addUnservedPaths(app, deps);
    // Claude Code asks whether there is a server.
    app.head('/api/hello', (_request, reply) => reply.send());
    // A WebSocket does not close by itself, so the app closes it.
    app.addHook('preClose', () => deps.responsesSockets.stop());
  };
}

const served =
  (endpoint: Endpoint): ServeCall =>
  ({ relay }, { incoming, client }) =>
    relay.serve(endpoint, incoming, client);

/** `POST /v1/messages/count_tokens`. */
export const countRoute = relayRoute<ServeCall>(
  'POST /v1/messages/count_tokens',
  ({ relay }, { incoming, client }) => countMessages(relay, messagesEndpoint, incoming, client),
  {
    summary: 'Count the input tokens of a message. Free',
    body: open({ model, messages: z.array(message) }, {}),
    response: open({ input_tokens: whole }, {}),
    example: { body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] } },
  },
);

/** The paths of Azure OpenAI that name the model. */
function addDeploymentRoutes(app: FastifyInstance, deps: RelayRoutesDeps): void {
  for (const [path, endpoint] of deploymentEndpoints) {
    app.post<{ Params: { deployment: string } }>(`/openai/deployments/:deployment${path}`, (request, reply) => {
      const { incoming, client } = hijack(request, reply, deps.maxBodyBytes);
      void deps.relay.serve(atDeployment(endpoint, request.params.deployment), incoming, client);
    });
  }
}

const looksUp =
  (answer: (call: Lookup) => void): ServeCall =>
  (deps, { incoming, client }, request) =>
    lookUp(incoming, client, request, deps, answer);

const oneModelPath = { path: { model: text.describe('Name') }, example: { path: { model: 'gpt-4o' } } };

/** The list of models and one of them, under each of the prefixes. */
export const modelRoutes = [
  relayRoute('GET /v1/models', looksUp(answerList), {
    summary: 'Models that the key may call',
    response: anything,
    example: {},
  }),
  relayRoute('GET /v1/models/:model', looksUp(answerOne), {
    summary: 'One model',
    response: anything,
    ...oneModelPath,
  }),
];

/** Lists of models in the form of Google. */
export const geminiModelRoutes = [
  relayRoute('GET /v1beta/models', looksUp(answerList), {
    summary: 'Models that the key may call, in the form of Google',
    response: anything,
    example: {},
  }),
  relayRoute('GET /v1beta/models/:model', looksUp(answerOne), {
    summary: 'One model, in the form of Google',
    response: anything,
    ...oneModelPath,
  }),
];

/** Every method of Google's models. */
export const geminiRoute = relayRoute<ServeCall>('POST /v1beta/models/*', serveGemini, {
  summary: 'Call of a model, in the dialect of Google',
  description:
    'The path ends with `{model}:generateContent`, `:streamGenerateContent`, `:countTokens`, `:embedContent`, `:batchEmbedContents` or `:batchGenerateContent`.',
  path: { '*': text.describe('Model and method') },
  body: open({}, { contents: list, systemInstruction: anything, tools: list, generationConfig: anything }),
  response: open({}, { candidates: list, usageMetadata: anything }),
  streams: true,
  example: { path: { '*': 'gpt-4o:generateContent' }, body: { contents: [{ parts: [{ text: 'Say hello' }] }] } },
});

/** Adds lists of models. The names of models may contain slashes. */
function addModelRoutes(
  app: FastifyInstance,
  routes: typeof modelRoutes,
  prefixes: readonly [string, ...string[]],
  deps: RelayRoutesDeps,
): void {
  addRelayRoutes(app, routes, prefixes, (served) => takeCall(served, deps));
  for (const prefix of prefixes) app.get(`${prefix}/models/:model/*`, takeCall(looksUp(answerOne), deps));
}

/** Codex leaves the version out where its base URL has none. A browser, which sends no key, gets the console. */
function addBareModelList(app: FastifyInstance, deps: RelayRoutesDeps): void {
  app.get('/models', (request, reply) => {
    if (request.headers.authorization === undefined) return reply.callNotFound();
    const { incoming, client } = hijack(request, reply, deps.maxBodyBytes);
    void lookUp(incoming, client, request, deps, answerList);
  });
}

function addGeminiRoutes(app: FastifyInstance, deps: RelayRoutesDeps): void {
  addModelRoutes(app, geminiModelRoutes, ['/v1beta'], deps);
  const serves = takeCall(serveGemini, deps);
  addRelayRoutes(app, [geminiRoute], ['/v1beta', '/v1'], () => serves);
  // LangChain leaves `models/` out of a name with a slash.
  app.post('/v1beta/:vendor/:call', serves);
  // Clients that are fixed to Vertex AI (docs/reference/relay/routes.md#paths-of-hosts).
  for (const version of ['/v1', '/v1beta1']) {
    app.post(`${version}/projects/:project/locations/:location/publishers/google/models/:call`, serves);
  }
}

async function serveGemini(deps: RelayRoutesDeps, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
  const { relay, createGeminiBatch } = deps;
  const { incoming, client } = hijacked;
  const method = geminiMethodOf(incoming);
  if (method === 'countTokens') {
    const dialect = { name: 'countContents', field: 'totalTokens' } as const;
    return relay.count(countContentsEndpoint, incoming, client, (totalTokens) => ({ totalTokens }), dialect);
  }
  if (method === 'batchGenerateContent' && createGeminiBatch) return createGeminiBatch(hijacked, request);
  const endpoint = method !== null && Object.hasOwn(geminiMethods, method) ? geminiMethods[method] : undefined;
  return endpoint ? relay.serve(endpoint, incoming, client) : refuseUnserved(relay, request, hijacked, 404);
}

interface Lookup {
  readonly models: readonly OfferedModel[];
  readonly request: FastifyRequest;
  readonly incoming: IncomingRequest;
  readonly client: ClientResponse;
  readonly modelPath: string;
}

async function lookUp(
  incoming: IncomingRequest,
  client: ClientResponse,
  request: FastifyRequest,
  deps: RelayRoutesDeps,
  answer: (call: Lookup) => void,
): Promise<void> {
  try {
    const { caller, groups } = await deps.relay.identify(incoming);
    const models = offeredModels(caller, groups, deps.channels.table, deps.prices, deps.options.values);
    const params = request.params as { model?: string; '*'?: string };
    const modelPath = params['*'] ? `${params.model ?? ''}/${params['*']}` : (params.model ?? '');
    answer({ models, request, incoming, client, modelPath });
  } catch (error) {
    sendError(request, client, error);
  }
}

const formatOf = ({ headers, path, query }: IncomingRequest): ReturnType<typeof modelListFormat> =>
  path.startsWith('/v1beta/openai/') ? 'openai' : modelListFormat(headers, path, query);

function answerList({ models, incoming, client }: Lookup): void {
  client.send(200, json, JSON.stringify(modelList(models, formatOf(incoming), incoming.query)));
}

function answerOne({ models, request, incoming, client, modelPath }: Lookup): void {
  const found = models.find(({ id }) => id === modelPath);
  const format = formatOf(incoming);
  if (found) client.send(200, json, JSON.stringify(oneModel(found, format)));
  else refuse(request, client, 404, unknownModel(modelPath));
}

const json = { 'content-type': 'application/json; charset=utf-8' };

/**
 * Lists the models that a key can call (docs/reference/relay/routes.md#model-lists): exactly its model limits if it has
 * any, else the priced models that the enabled channels of its groups offer.
 */
function offeredModels(
  caller: Caller,
  groups: readonly string[],
  table: RoutingTable,
  prices: PriceBook,
  values: OptionValues,
): OfferedModel[] {
  const { token, user } = caller;
  if (token.modelLimits) {
    return [...token.modelLimits].sort(byText).map((id) => {
      const group = groups.find((one) => table.find(one, id, user.id));
      const root = group === undefined ? id : table.bareModel(group, id, user.id);
      return offered(id, root, values);
    });
  }
  const showsUnpriced = values.SelfUseModeEnabled || user.acceptsUnpriced;
  const models = groups.length === 1 ? table.models(groups[0] ?? '', user.id) : modelsOf(groups, user.id, table);
  return models
    .filter(({ bareModel }) => showsUnpriced || prices.isPriced(bareModel))
    .map(({ id, bareModel }) => offered(id, bareModel, values));
}

function offered(id: string, root: string, { ModelMaxOutput }: OptionValues): OfferedModel {
  const { maxInput, maxOutput } = modelLimits(root, ModelMaxOutput);
  return { id, root, ownedBy: ownerOf(root), maxInput, maxOutput };
}

/** Lists the models of several groups, each once, sorted by id. */
function modelsOf(groups: readonly string[], userId: number, table: RoutingTable): ListedModel[] {
  const listed = new Map<string, ListedModel>();
  for (const model of groups.flatMap((group) => table.models(group, userId))) {
    if (!listed.has(model.id)) listed.set(model.id, model);
  }
  return [...listed.values()].sort((a, b) => byText(a.id, b.id));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
