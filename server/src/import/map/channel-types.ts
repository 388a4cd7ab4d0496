import type { Family } from '../family.js';

/** The channel type of this product for a type of a source. */
export interface TypeMapping {
  readonly type: number;
  /** The base URL that the source program has built in, if it differs from that of this product. */
  readonly baseUrl?: string;
  /**
   * The source program has no address for the type. The keys of a channel without an address must not go to the address
   * of this product's type.
   */
  readonly needsBaseUrl?: true;
  /** Path that the source program inserts between a base URL and the client's path. */
  readonly path?: string;
  /** The value of the channel's field `other`. */
  readonly other?: string;
  /** The source program calls the other chat API of the provider. */
  readonly isAlternative?: true;
}

const openAI = (baseUrl = ''): TypeMapping => (baseUrl === '' ? { type: 1 } : { type: 1, baseUrl });
const itsOwnAddress: TypeMapping = { type: 1, needsBaseUrl: true };
const alternative = (type: number): TypeMapping => ({ type, isAlternative: true });
const same = (...types: number[]): Array<[number, TypeMapping]> => types.map((type) => [type, { type }]);

/** Early resellers, which speak OpenAI's dialect. */
const resellers: ReadonlyArray<[number, TypeMapping]> = [
  [6, openAI('https://api.openaimax.com')],
  [7, openAI('https://api.ohmygpt.com')],
  [9, openAI('https://api.caipacity.com')],
  [10, openAI('https://api.aiproxy.io')],
  [12, openAI('https://api.api2gpt.com')],
  [13, openAI('https://api.aigc2d.com')],
];

/** The providers' paths have no `/v1`, because the base URL of these types contains another version. */
export const withoutVersion = (baseUrl = ''): TypeMapping => ({
  type: 58,
  ...(baseUrl === '' ? null : { baseUrl }),
  other: JSON.stringify({
    endpoints: {
      chat: '/chat/completions',
      completions: '/completions',
      embeddings: '/embeddings',
      moderations: '/moderations',
      images: '/images/generations',
      speech: '/audio/speech',
      transcription: '/audio/transcriptions',
      translation: '/audio/translations',
    },
  }),
});

/** Numbers of one-api above 25 mean other providers than the same numbers in this product. */
const oneApi: ReadonlyMap<number, TypeMapping> = new Map<number, TypeMapping>([
  ...same(1, 3, 11, 14, 15, 16, 18, 20, 21, 22, 23, 24, 25, 31, 33),
  [2, openAI('https://oa.api2d.net')],
  [4, openAI('https://api.closeai-proxy.xyz')],
  [5, openAI('https://api.openai-sb.com')],
  ...resellers,
  // Type 8 of one-api is any gateway that speaks OpenAI's dialect: the client's path follows the base URL.
  [8, itsOwnAddress],
  [17, alternative(17)],
  [19, { type: 19, baseUrl: 'https://ai.360.cn' }],
  [26, openAI('https://api.baichuan-ai.com')],
  [27, { type: 35 }],
  [28, { type: 42 }],
  [29, openAI('https://api.groq.com/openai')],
  [30, alternative(4)],
  [32, openAI('https://api.stepfun.com')],
  [35, alternative(34)],
  [36, { type: 43 }],
  [37, { type: 39 }],
  [39, openAI('https://api.together.xyz')],
  [40, { type: 45 }],
  [41, withoutVersion('https://api.novita.ai/v3/openai')],
  [42, { type: 41 }],
  [43, itsOwnAddress],
  [44, { type: 40 }],
  [45, { type: 48 }],
  [47, { type: 46 }],
  [48, { type: 18 }],
  [49, { type: 1, baseUrl: 'https://dashscope.aliyuncs.com', path: '/compatible-mode' }],
  [50, withoutVersion()],
  [51, withoutVersion('https://generativelanguage.googleapis.com/v1beta/openai')],
]);

/**
 * Numbers of new-api and Veloera. Each number that means the same provider in this product is listed: if those programs
 * gave an unlisted number to another maker later, the keys of its channels would go to the wrong host. Number 58 has
 * another meaning here.
 */
const newApi: ReadonlyMap<number, TypeMapping> = new Map<number, TypeMapping>([
  ...same(1, 2, 3, 4, 5, 8, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 31, 33, 35, 36, 37, 38, 39),
  ...same(40, 41, 42, 43, 44, 45, 46, 47, 48, 50, 51, 52, 53, 60, 62, 63),
  ...resellers,
  [34, alternative(34)],
  // These types make videos only, with keys of providers that have a type here.
  [54, { type: 45 }],
  [55, openAI()],
]);

const ownPaths: TypeMapping = { type: 58, needsBaseUrl: true };

/**
 * Numbers of one-hub and done-hub. Those that keep credentials of a subscription (57 to 60), and those of providers whose API has
 * another host or form here, have no type.
 */
const oneHub: ReadonlyMap<number, TypeMapping> = new Map<number, TypeMapping>([
  ...same(1, 3, 11, 14, 15, 18, 20),
  [8, itsOwnAddress],
  [16, { type: 26 }],
  [17, alternative(17)],
  [19, { type: 19, baseUrl: 'https://ai.360.cn' }],
  [25, { type: 24 }],
  [26, openAI('https://api.baichuan-ai.com')],
  [27, alternative(35)],
  [28, { type: 43 }],
  [29, { type: 25 }],
  [30, { type: 42 }],
  [31, openAI('https://api.groq.com/openai')],
  [32, { type: 33 }],
  [33, { type: 31 }],
  [34, { type: 2, needsBaseUrl: true }],
  [35, alternative(39)],
  [36, alternative(34)],
  [39, { type: 4, baseUrl: 'https://ollama.com', isAlternative: true }],
  [40, { type: 23 }],
  [41, { type: 36, needsBaseUrl: true }],
  [42, { type: 41 }],
  [43, itsOwnAddress],
  [45, { type: 40 }],
  [47, { type: 38 }],
  [48, { type: 38, needsBaseUrl: true }],
  [49, withoutVersion('https://models.inference.ai.azure.com')],
  [55, { type: 1, needsBaseUrl: true, path: '/openai' }],
  [56, { type: 48 }],
]);

/** Types that a plugin of one-hub changes: to another API of the same provider, or to paths of the channel's own. */
const pluggedIn: Readonly<Record<string, TypeMapping>> = {
  '8 customize': ownPaths,
  '15 use_openai_api': { type: 46 },
  '16 customize': ownPaths,
  '17 use_openai_api': openAI('https://dashscope.aliyuncs.com/compatible-mode'),
};

/** Above this number, Veloera numbers its types differently from new-api. */
const lastCommonType = 48;

/**
 * Providers that no imported program has are numbered from here, so that their numbers never conflict with those of
 * other programs.
 */
export const firstOwnType = 1000;

/**
 * @param plugin of a channel of one-hub
 * @returns null if no provider of this product serves the type
 */
export function mapType(family: Family, type: number, models: readonly string[], plugin = ''): TypeMapping | null {
  // The types of LiteLLM's providers are those of this product already.
  if (family === 'litellm' && type === withoutVersion().type) return { type };
  if (family === 'one-hub') return pluggedIn[`${type} ${plugin}`] ?? oneHub.get(type) ?? null;
  if (family === 'one-api') {
    // one-api serves newer GLM models with the same type, so the models decide.
    if (type === 16 && models.some((model) => model.startsWith('glm-'))) return { type: 26 };
    return oneApi.get(type) ?? null;
  }
  if (family === 'veloera' && type > lastCommonType) return null;
  return newApi.get(type) ?? null;
}
