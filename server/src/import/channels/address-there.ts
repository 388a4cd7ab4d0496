import type { Generation } from '../prices/generation.js';
import type { Family } from '../family.js';

/** A channel as the source program calls it. */
interface ChannelThere {
  readonly generation: Generation;
  readonly type: number;
  /** The base URL of the channel, or else the one that the source program has built in. */
  readonly baseUrl: string;
  /** The model name that the provider gets, after the channel's mapping. */
  readonly model: string;
  /** The account id at Cloudflare, which is a part of the path. */
  readonly account: string;
  /** The API version of the channel; empty for providers whose URL names none. */
  readonly version: string;
  /** The plugin of a channel of one-hub that changes its address. */
  readonly plugin: string;
  /** The path of chat calls that a channel of one-hub has of its own. */
  readonly path: string;
}

type Address = (channel: ChannelThere) => string;

const chat: Address = ({ baseUrl, type }) => {
  const isCloudflare = type === 1 && baseUrl.startsWith('https://gateway.ai.cloudflare.com');
  return baseUrl + (isCloudflare ? '' : '/v1') + '/chat/completions';
};
const at =
  (path: string): Address =>
  ({ baseUrl }) =>
    baseUrl + path;
const azure: Address = ({ baseUrl, model }) =>
  `${baseUrl}/openai/deployments/${model.replaceAll('.', '')}/chat/completions`;

const gemini =
  (usual: (model: string) => string): Address =>
  ({ baseUrl, model, version }) =>
    `${baseUrl}/${version || usual(model)}/models/${model}:generateContent`;
const cloudflare: Address = ({ baseUrl, account }) => {
  const isGateway = baseUrl.startsWith('https://gateway.ai.cloudflare.com') && baseUrl.endsWith('/workers-ai');
  return `${isGateway ? baseUrl : `${baseUrl}/client/v4/accounts/${account}/ai`}/v1/chat/completions`;
};
const zhipuV3: Address = ({ baseUrl, model }) => `${baseUrl}/api/paas/v3/model-api/${model}/invoke`;
const zhipuV4 = at('/api/paas/v4/chat/completions');

const messages = at('/v1/messages');
const minimax = at('/v1/text/chatcompletion_v2');
const volcengine = at('/api/v3/chat/completions');
const qianfan = at('/v2/chat/completions');
const withoutVersion = at('/chat/completions');

const oneApi: ReadonlyMap<number, Address> = new Map([
  ...[1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 19, 20, 22, 25, 26, 28, 29, 31, 32, 36, 39, 44, 45].map(
    (type) => [type, chat] as const,
  ),
  [3, azure],
  [14, messages],
  [16, (channel) => (channel.model.startsWith('glm-') ? zhipuV4 : zhipuV3)(channel)],
  [17, at('/api/v1/services/aigc/text-generation/generation')],
  [23, at('/')],
  [24, gemini((model) => (model === 'gemini-2.0-flash-exp' ? 'v1beta' : 'v1'))],
  [27, minimax],
  [30, at('/api/chat')],
  [35, at('/v1/chat')],
  [37, cloudflare],
  [40, volcengine],
  [41, withoutVersion],
  [47, qianfan],
  [49, at('/compatible-mode/v1/chat/completions')],
  [50, withoutVersion],
  [51, withoutVersion],
]);

const newApi: ReadonlyMap<number, Address> = new Map([
  // Type 60, another new-api, appends the path of the client's call (relay/channel/newapi/adaptor.go of new-api).
  ...[1, 6, 7, 9, 10, 12, 13, 19, 20, 22, 25, 31, 40, 42, 43, 48, 53, 60, 62, 63].map((type) => [type, chat] as const),
  [3, azure],
  [8, ({ baseUrl, model }: ChannelThere) => baseUrl.replaceAll('{model}', model)],
  [4, ({ baseUrl, generation }) => baseUrl + (generation === 'new-api 2026' ? '/api/chat' : '/v1/chat/completions')],
  [14, messages],
  [16, zhipuV3],
  [17, at('/compatible-mode/v1/chat/completions')],
  [23, at('/')],
  [24, gemini(() => 'v1beta')],
  [26, zhipuV4],
  [27, withoutVersion],
  [34, at('/v1/chat')],
  [35, minimax],
  [37, at('/v1/chat-messages')],
  [39, cloudflare],
  [45, volcengine],
  [46, qianfan],
]);

const ownPaths: Address = ({ baseUrl, path }) => baseUrl + path;

/** one-hub appends the client's path to the base URL, or the path that the channel or the provider has. */
const oneHub: ReadonlyMap<number, Address> = new Map([
  ...[1, 8, 19, 20, 26, 28, 29, 30, 31, 33, 43, 45, 56].map((type) => [type, chat] as const),
  [3, ({ baseUrl, model }) => `${baseUrl}/openai/deployments/${model}/chat/completions`],
  [14, messages],
  [16, zhipuV4],
  [17, at('/api/v1/services/aigc/text-generation/generation')],
  [25, gemini(() => 'v1beta')],
  [27, at('/v1/chat/completions')],
  [35, ({ baseUrl, account, model }) => `${baseUrl}/client/v4/accounts/${account}/ai/run/${model}`],
  [36, at('/v1/chat')],
  [39, at('/api/chat')],
  [40, at('/')],
  [49, withoutVersion],
  [55, at('/openai/v1/chat/completions')],
]);
const oneHubPlugins: Readonly<Record<string, Address>> = {
  '8 customize': ownPaths,
  '15 use_openai_api': qianfan,
  '16 customize': ownPaths,
  '17 use_openai_api': chat,
};

/**
 * Returns the URL of a chat call in the source program, without a query. Null if the key is exchanged first, or a
 * socket is opened.
 */
export function addressThere(channel: ChannelThere): string | null {
  const { generation, type, plugin } = channel;
  if (generation === 'one-hub') return (oneHubPlugins[`${type} ${plugin}`] ?? oneHub.get(type))?.(channel) ?? null;
  const table = generation === 'one-api' ? oneApi : newApi;
  return table.get(type)?.(channel) ?? null;
}

/** Early resellers, which have the same numbers in one-api, Veloera and new-api. */
const resellers: Readonly<Record<number, string>> = {
  6: 'https://api.openaimax.com',
  7: 'https://api.ohmygpt.com',
  9: 'https://api.caipacity.com',
  10: 'https://api.aiproxy.io',
  12: 'https://api.api2gpt.com',
  13: 'https://api.aigc2d.com',
};

/** Base URLs that one-api has built in and that differ from the base URLs of this product. */
const oneApiBases: Readonly<Record<number, string>> = {
  ...resellers,
  2: 'https://oa.api2d.net',
  4: 'https://api.closeai-proxy.xyz',
  5: 'https://api.openai-sb.com',
  19: 'https://ai.360.cn',
  26: 'https://api.baichuan-ai.com',
  24: 'https://generativelanguage.googleapis.com',
  27: 'https://api.minimax.chat',
  28: 'https://api.mistral.ai',
  29: 'https://api.groq.com/openai',
  32: 'https://api.stepfun.com',
  36: 'https://api.deepseek.com',
  39: 'https://api.together.xyz',
  40: 'https://ark.cn-beijing.volces.com',
  41: 'https://api.novita.ai/v3/openai',
  44: 'https://api.siliconflow.cn',
  45: 'https://api.x.ai',
  47: 'https://qianfan.baidubce.com',
  49: 'https://dashscope.aliyuncs.com',
  51: 'https://generativelanguage.googleapis.com/v1beta/openai',
};

const oneHubBases: Readonly<Record<number, string>> = {
  19: 'https://ai.360.cn',
  26: 'https://api.baichuan-ai.com',
  31: 'https://api.groq.com/openai',
  39: 'https://ollama.com',
  49: 'https://models.inference.ai.azure.com',
};

const builtInBases: Partial<Record<Family, Readonly<Record<number, string>>>> = {
  'one-api': oneApiBases,
  veloera: resellers,
  'new-api': resellers,
  'one-hub': oneHubBases,
};

/**
 * Returns the base URL that the source program has built in. Null means that it equals the provider's base URL in this
 * product.
 */
export const builtInBase = (family: Family, type: number): string | null => builtInBases[family]?.[type] ?? null;
