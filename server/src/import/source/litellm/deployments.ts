import { asFields, type Fields } from '../../../shared/json.js';
import { requestHere } from '../../channels/request-here.js';
import { withoutVersion } from '../../map/channel-types.js';
import type { SourceRow } from '../source.js';
import { isCost } from './prices.js';
import type { Reading } from './reading.js';
import { textOf } from './values.js';

/** Providers of LiteLLM (the part of a model before `/`) → their channel type in this product. */
const types: Readonly<Record<string, number>> = {
  openai: 1,
  azure: 3,
  ollama: 4,
  ollama_chat: 4,
  anthropic: 14,
  openrouter: 20,
  gemini: 24,
  moonshot: 25,
  perplexity: 27,
  bedrock: 33,
  cohere: 34,
  cohere_chat: 34,
  vertex_ai: 41,
  mistral: 42,
  deepseek: 43,
  xai: 48,
  hosted_vllm: 62,
  text_completion_openai: 1,
};

/** Providers that speak OpenAI's dialect and have no type of their own → their address. */
const addresses: Readonly<Record<string, string>> = {
  groq: 'https://api.groq.com/openai',
  together_ai: 'https://api.together.xyz',
  fireworks_ai: 'https://api.fireworks.ai/inference',
};
/** Hosts of LiteLLM that differ from those of this product's types: each has keys of its own. */
const otherHosts: Readonly<Record<string, string>> = { moonshot: 'https://api.moonshot.ai' };

/** The number that the family gives to no provider. */
const unknownType = 0;

/** The provider and the model of a deployment. */
interface Named {
  readonly provider: string;
  readonly model: string;
  /** The base URL in the file; empty if it states none. */
  readonly base: string;
}

export interface Deployment {
  readonly model: string;
  readonly upstream: string;
  readonly type: number;
  readonly key: string;
  readonly baseUrl: string;
  readonly other: string;
  readonly weight: number;
  readonly status: number;
  /** The URL of a chat call in LiteLLM; empty if it depends on the key. */
  readonly address: string;
}

/** Reads an entry of `model_list`. */
export function deploymentOf(entry: Fields, index: number, { environment, findings }: Reading): Deployment {
  const parameters = asFields(entry['litellm_params']) ?? {};
  const name = textOf(entry['model_name']) || textOf(parameters['model']);
  const missing: string[] = [];
  /** `os.environ/NAME` refers to a variable. */
  const read = (key: string): string => {
    const text = textOf(parameters[key]);
    if (!text.startsWith('os.environ/')) return text;
    const variable = text.slice('os.environ/'.length);
    const value = environment[variable] ?? '';
    if (value === '') missing.push(variable);
    return value;
  };
  const [provider = '', ...rest] = textOf(parameters['model']).split('/');
  const hasProvider = rest.length > 0;
  const given = textOf(parameters['custom_llm_provider']) || (hasProvider ? provider : 'openai');
  const type = addresses[given] === undefined ? (types[given] ?? unknownType) : 1;
  const key = given === 'bedrock' ? awsKey(read) : read(given === 'vertex_ai' ? 'vertex_credentials' : 'api_key');
  const upstream = hasProvider ? rest.join('/') : provider;
  const named = { provider: given, model: upstream, base: read('api_base').replace(/\/+$/, '') };
  if (missing.length > 0) findings.add('key-environment', 'model_list', index + 1, `${name}: ${missing.join(', ')}`);
  for (const unknown of Object.keys(parameters).filter((one) => !known.has(one) && !isCost(one))) {
    findings.add('setting-unmapped', 'model_list', index + 1, `${name}: ${unknown}`);
  }
  const other = type === 3 ? read('api_version') : type === 41 ? read('vertex_location') : '';
  return {
    model: name,
    upstream,
    key,
    ...formOf({ type, other }, named),
    address: addressOf(named),
    weight: typeof parameters['weight'] === 'number' ? parameters['weight'] : 1,
    status: missing.length > 0 ? 2 : 1,
  };
}

/**
 * Returns type and base URL of the channel. A base URL to which the type would add another path than LiteLLM keeps its
 * own path by a custom channel.
 */
function formOf(
  { type, other }: Pick<Deployment, 'type' | 'other'>,
  { provider, model, base }: Named,
): Pick<Deployment, 'type' | 'other' | 'baseUrl'> {
  const baseUrl = base.replace(/\/v1$/, '') || (addresses[provider] ?? otherHosts[provider] ?? '');
  if (base === '' || !speaksOpenAi.has(provider)) return { type, other, baseUrl };
  const target = { id: 0, type, baseUrl, other, setting: {}, organization: '', key: 'k', models: [model], model };
  if (requestHere(target)?.url.split('?', 1)[0] === addressOf({ provider, model, base }))
    return { type, other, baseUrl };
  return { ...ownPaths, baseUrl: base.replace(/\/chat\/completions$/, '') };
}

/** Providers whose address LiteLLM makes by adding `/chat/completions` to the base URL. */
const openAiBases: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  groq: 'https://api.groq.com/openai/v1',
  together_ai: 'https://api.together.xyz/v1',
  fireworks_ai: 'https://api.fireworks.ai/inference/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  moonshot: 'https://api.moonshot.ai/v1',
  perplexity: 'https://api.perplexity.ai',
  mistral: 'https://api.mistral.ai/v1',
  deepseek: 'https://api.deepseek.com/beta',
  xai: 'https://api.x.ai/v1',
  hosted_vllm: '',
};
const speaksOpenAi: ReadonlySet<string> = new Set(Object.keys(openAiBases));

/** Returns the URL of a chat call in LiteLLM, without a query; empty if it depends on the key. */
function addressOf({ provider, model, base }: Named): string {
  const ownBase = openAiBases[provider];
  if (ownBase !== undefined) return withEnd(base || ownBase, '/chat/completions');
  if (provider === 'azure') return base && `${base}/openai/deployments/${model}/chat/completions`;
  if (provider === 'anthropic') return withEnd(base || 'https://api.anthropic.com', '/v1/messages');
  if (provider !== 'gemini') return '';
  return `${base || 'https://generativelanguage.googleapis.com/v1beta'}/models/${model}:generateContent`;
}

const { type: customType, other: customPaths = '' } = withoutVersion();
const ownPaths = { type: customType, other: customPaths };

const withEnd = (base: string, end: string): string => (base === '' || base.endsWith(end) ? base : base + end);

const awsKey = (read: (key: string) => string): string =>
  `${read('aws_access_key_id')}|${read('aws_secret_access_key')}|${read('aws_region_name')}`;

const known = new Set([
  ...['model', 'api_key', 'api_base', 'api_version', 'custom_llm_provider', 'weight', 'vertex_credentials'],
  ...['vertex_location', 'vertex_project', 'aws_access_key_id', 'aws_secret_access_key', 'aws_region_name'],
]);

/** Returns one channel per deployment. Weights balance deployments of the same model name. */
export const channelsOf = (deployments: readonly Deployment[]): SourceRow[] =>
  deployments.map((one, index) => ({
    id: index + 1,
    type: one.type,
    name: `${one.model} ${index + 1}`,
    key: one.key,
    status: one.status,
    base_url: one.baseUrl,
    other: one.other,
    models: one.model,
    group: 'default',
    weight: one.weight,
    auto_ban: 1,
    address: one.address,
    model_mapping: one.upstream === one.model ? '' : JSON.stringify({ [one.model]: one.upstream }),
  }));
