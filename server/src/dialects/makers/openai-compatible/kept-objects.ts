import type { KeptObjectsCapability } from '../../contract.js';
import { addressOf, bearer } from './address.js';
import type { OpenAiVariant } from './variant.js';

/** Files and other objects at OpenAI's paths. */
export const keptObjects = (variant: OpenAiVariant): KeptObjectsCapability => ({
  api: 'openai',
  toUpstreamRequest(method, path, target, headers) {
    const [plain = '', query] = path.split('?', 2);
    return {
      method,
      url: addressOf(true, { path: plain }, target) + (query === undefined ? '' : `?${query}`),
      headers: {
        ...headers,
        ...(variant.credentials ?? bearer)(target),
        ...variant.headers?.(target, { stream: false }),
      },
      body: null,
    };
  },
});
