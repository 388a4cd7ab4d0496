import { gateways } from './gateways.js';
import { openAIFamily } from './openai-family.js';
import { ownDialects } from './own-dialects.js';
import { toProvider, type Provider } from './provider.js';
import { retiredProviders } from './retired.js';
import { taskPlatforms } from './task-platforms.js';

/** Every provider by channel type, in the order of the numbers. */
export const providers: readonly Provider[] = [
  ...openAIFamily,
  ...ownDialects,
  ...gateways,
  ...taskPlatforms,
  ...retiredProviders,
]
  .map(toProvider)
  .sort((a, b) => a.id - b.id);

const byId = new Map(providers.map((provider) => [provider.id, provider]));

/** @returns null for an unknown number */
export const findProvider = (id: number): Provider | null => byId.get(id) ?? null;

/** Like `findProvider`, but an unknown number is a provider without capabilities. */
export const providerOf = (id: number): Provider =>
  byId.get(id) ?? toProvider({ id, name: 'custom', label: '', defaultBaseUrl: '', offered: false });
