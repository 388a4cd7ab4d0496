import type { Adapter } from '../adapter.js';
import { openAICompatible } from './openai-compatible/openai-compatible.js';
import { wholeAddress } from './openai-compatible/url.js';

/** Who speaks which dialect, by channel type (`relay-providers.md` 0.1). A provider is one line, or a folder. */
export const adapters: Readonly<Record<number, Adapter>> = {
  1: openAICompatible({
    defaultBaseUrl: 'https://api.openai.com',
    streamUsage: true,
    reasoningRules: true,
    headers: ({ organization }): Record<string, string> =>
      organization ? { 'openai-organization': organization } : {},
  }),
  8: openAICompatible({ chatUrl: wholeAddress, reasoningRules: true }),
};
