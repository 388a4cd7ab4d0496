import { toProvider, type Provider } from '../providers/provider.js';
import { rows as ai360 } from './ai360/rows.js';
import { rows as ali } from './ali/rows.js';
import { rows as anthropic } from './anthropic/rows.js';
import { rows as aws } from './aws/rows.js';
import { rows as azure } from './azure/rows.js';
import { rows as baidu } from './baidu/rows.js';
import { rows as baiduV2 } from './baidu-v2/rows.js';
import { rows as cloudflare } from './cloudflare/rows.js';
import { rows as cohere } from './cohere/rows.js';
import { rows as custom } from './custom/rows.js';
import { rows as deepseek } from './deepseek/rows.js';
import { rows as dify } from './dify/rows.js';
import { rows as fastgpt } from './fastgpt/rows.js';
import { rows as gemini } from './gemini/rows.js';
import { rows as jimeng } from './jimeng/rows.js';
import { rows as jina } from './jina/rows.js';
import { rows as kling } from './kling/rows.js';
import { rows as library } from './library/rows.js';
import { rows as lingyi } from './lingyi/rows.js';
import { rows as midjourney } from './midjourney/rows.js';
import { rows as minimax } from './minimax/rows.js';
import { rows as mistral } from './mistral/rows.js';
import { rows as moka } from './moka/rows.js';
import { rows as moonshot } from './moonshot/rows.js';
import { rows as newApi } from './new-api/rows.js';
import { rows as ollama } from './ollama/rows.js';
import { rows as openai } from './openai/rows.js';
import { rows as openrouter } from './openrouter/rows.js';
import { rows as palm } from './palm/rows.js';
import { rows as perplexity } from './perplexity/rows.js';
import { rows as retired } from './retired/rows.js';
import { rows as sglang } from './sglang/rows.js';
import { rows as siliconflow } from './siliconflow/rows.js';
import { rows as spark } from './spark/rows.js';
import { rows as submodel } from './submodel/rows.js';
import { rows as suno } from './suno/rows.js';
import { rows as tencent } from './tencent/rows.js';
import { rows as vertex } from './vertex/rows.js';
import { rows as vidu } from './vidu/rows.js';
import { rows as vllm } from './vllm/rows.js';
import { rows as volcengine } from './volcengine/rows.js';
import { rows as xai } from './xai/rows.js';
import { rows as xinference } from './xinference/rows.js';
import { rows as zhipu } from './zhipu/rows.js';

/** Every provider by channel type, in the order of the numbers. */
export const providers: readonly Provider[] = [
  ...ai360,
  ...ali,
  ...anthropic,
  ...aws,
  ...azure,
  ...baidu,
  ...baiduV2,
  ...cloudflare,
  ...cohere,
  ...custom,
  ...deepseek,
  ...dify,
  ...fastgpt,
  ...gemini,
  ...jimeng,
  ...jina,
  ...kling,
  ...library,
  ...lingyi,
  ...midjourney,
  ...minimax,
  ...mistral,
  ...moka,
  ...moonshot,
  ...newApi,
  ...ollama,
  ...openai,
  ...openrouter,
  ...palm,
  ...perplexity,
  ...retired,
  ...sglang,
  ...siliconflow,
  ...spark,
  ...submodel,
  ...suno,
  ...tencent,
  ...vertex,
  ...vidu,
  ...vllm,
  ...volcengine,
  ...xai,
  ...xinference,
  ...zhipu,
]
  .map(toProvider)
  .sort((a, b) => a.id - b.id);

const byId = new Map(providers.map((provider) => [provider.id, provider]));

/** @returns null for an unknown number */
export const findProvider = (id: number): Provider | null => byId.get(id) ?? null;

/** Like `findProvider`, but an unknown number is a provider without capabilities. */
export const providerOf = (id: number): Provider =>
  byId.get(id) ?? toProvider({ id, name: 'custom', label: '', defaultBaseUrl: '', offered: false });
