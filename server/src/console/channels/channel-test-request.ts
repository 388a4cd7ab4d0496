import type { Provider } from '../../dialects/providers/provider.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { AppError } from '../../shared/errors.js';
import { modelKind, type ModelKind } from '../../shared/model-kind.js';
import type { Channel } from './channel.entity.js';
import type { ProbeRequest } from './channel-probe.js';

type TestedChannel = Pick<Channel, 'id' | 'type' | 'models' | 'testModel' | 'modelMapping' | 'other' | 'baseUrl'>;
type Endpoint = ProbeRequest['endpoint'];

/** The endpoint that tests a model of each kind. A kind is absent if its calls need a file, a session or minutes. */
const endpoints: Readonly<Partial<Record<ModelKind, Endpoint>>> = {
  chat: 'chat',
  completion: 'completions',
  embedding: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderations',
  image: 'images',
  speech: 'speech',
};

/** Endpoints in the order in which a channel prefers them. The others cost more and take longer. */
const cheap: readonly Endpoint[] = ['chat', 'completions', 'embeddings', 'rerank', 'moderations'];

/**
 * Returns the request that tests a channel (docs/reference/relay/routing.md#channel-test).
 * @param asked the model that the admin names; '' for the channel's test model, else the first one that fits
 * @param isRun whether the test is part of a run over all channels, where each test must cost next to nothing
 * @throws AppError UNSUPPORTED_BY_CHANNEL when no test exists for the model
 */
export function testRequest(channel: TestedChannel, asked: string, isRun: boolean): Omit<ProbeRequest, 'retires'> {
  const named = asked || channel.testModel;
  const model = named || fittingModel(channel);
  const endpoint = endpointOf(channel, model);
  if (!endpoint) throw new AppError('UNSUPPORTED_BY_CHANNEL', `No test exists for models such as ${model}`);
  if ((isRun || !named) && !cheap.includes(endpoint)) {
    const message = `${model} is tested only alone, and where it is named: each test costs an image or a recording`;
    throw new AppError('UNSUPPORTED_BY_CHANNEL', message);
  }
  return { channelId: channel.id, model, endpoint, body: { model, ...bodies[endpoint](model) } };
}

/** Returns the first model with the most preferred endpoint; models without one come last. */
function fittingModel(channel: TestedChannel): string {
  const { models } = channel;
  const preferred: ReadonlyArray<Endpoint | null> = [...cheap, 'speech', 'images'];
  for (const endpoint of preferred) {
    const model = models.find((name) => endpointOf(channel, name) === endpoint);
    if (model) return model;
  }
  return models[0] ?? 'gpt-4o-mini';
}

/**
 * Returns the endpoint by the name that the provider gets. If the provider does not offer it, an endpoint that it
 * offers is used.
 */
function endpointOf({ type, other, baseUrl, modelMapping }: TestedChannel, model: string): Endpoint | null {
  const mapped = Object.hasOwn(modelMapping, model) ? modelMapping[model] : undefined;
  const endpoint = endpoints[modelKind(mapped ?? model)];
  if (!endpoint) return null;
  const { adapter: usual, adapterFor } = providerOf(type);
  const adapter = adapterFor?.({ other, baseUrl }) ?? usual;
  return [endpoint, ...cheap].find((name) => offers[name](adapter)) ?? endpoint;
}

const offers: Readonly<Record<Endpoint, (adapter: Provider['adapter']) => boolean>> = {
  chat: (adapter) =>
    Boolean(adapter.chat ?? adapter.conversation ?? adapter.messages ?? adapter.generate ?? adapter.responses),
  completions: ({ completions }) => completions !== undefined,
  embeddings: ({ embeddings }) => embeddings !== undefined,
  rerank: ({ rerank }) => rerank !== undefined,
  moderations: ({ moderations }) => moderations !== undefined,
  images: ({ images }) => images !== undefined,
  speech: ({ speech }) => speech !== undefined,
};

const bodies: Readonly<Record<Endpoint, (model: string) => Record<string, unknown>>> = {
  chat: (model) => ({ messages: [{ role: 'user', content: 'hi' }], stream: false, ...outputLimit(model) }),
  completions: () => ({ prompt: 'hi', max_tokens: 10 }),
  embeddings: () => ({ input: ['hello world'] }),
  rerank: () => ({ query: 'hello', documents: ['hello world'] }),
  moderations: () => ({ input: 'hello world' }),
  images: () => ({ prompt: 'a white dot', n: 1 }),
  speech: () => ({ input: 'hi', voice: 'alloy' }),
};

function outputLimit(model: string): Record<string, number> {
  if (/^o[13]/.test(model)) return { max_completion_tokens: 10 };
  if (model.includes('thinking')) return model.includes('claude') ? {} : { max_tokens: 50 };
  return { max_tokens: model.includes('gemini') ? 300 : 10 };
}
