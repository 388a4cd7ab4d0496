import type { Family } from '../family.js';

/** A channel as the old program calls it. */
interface ChannelThere {
  readonly family: Family;
  readonly type: number;
  /** Of the channel, else what the program has built in. */
  readonly baseUrl: string;
  /** After the mapping. */
  readonly model: string;
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
  [27, minimax],
  [40, volcengine],
  [41, withoutVersion],
  [47, qianfan],
  [49, at('/compatible-mode/v1/chat/completions')],
  [50, withoutVersion],
  [51, withoutVersion],
]);

const newApi: ReadonlyMap<number, Address> = new Map([
  ...[1, 6, 7, 9, 10, 12, 13, 19, 20, 22, 25, 31, 40, 42, 43, 48].map((type) => [type, chat] as const),
  [3, azure],
  [8, ({ baseUrl, model }: ChannelThere) => baseUrl.replaceAll('{model}', model)],
  [14, messages],
  [26, at('/api/paas/v4/chat/completions')],
  [35, minimax],
  [45, volcengine],
  [46, qianfan],
]);

/** The URL of a chat call in the old program, without a query; null for providers whose dialect has another form. */
export function addressThere(channel: ChannelThere): string | null {
  const table = channel.family === 'one-api' ? oneApi : newApi;
  return table.get(channel.type)?.(channel) ?? null;
}

/** Base URLs that one-api has built in, and that differ from those here. */
const oneApiBases: Readonly<Record<number, string>> = {
  2: 'https://oa.api2d.net',
  4: 'https://api.closeai-proxy.xyz',
  5: 'https://api.openai-sb.com',
  6: 'https://api.openaimax.com',
  7: 'https://api.ohmygpt.com',
  9: 'https://api.caipacity.com',
  10: 'https://api.aiproxy.io',
  12: 'https://api.api2gpt.com',
  13: 'https://api.aigc2d.com',
  19: 'https://ai.360.cn',
  26: 'https://api.baichuan-ai.com',
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

/** The base URL that the old program has built in; null: the one of the provider here. */
export const builtInBase = (family: Family, type: number): string | null =>
  family === 'one-api' ? (oneApiBases[type] ?? null) : null;
