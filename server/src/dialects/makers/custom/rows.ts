import { checkChosenEndpoints, chosenEndpoints } from '../hosted/chosen-endpoints.js';
import { wholeAddress } from '../openai-compatible/address.js';
import { deploymentRules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everythingAt, type EndpointPath, type OpenAiVariant } from '../openai-compatible/variant.js';
import { openAIBalance } from '../../providers/balance.js';
import { acceptsAccountFields, anthropicHeaders, openAIHeaders, type ProviderRow } from '../../providers/provider.js';

const customVariant: OpenAiVariant = {
  chat: wholeAddress,
  capabilities: { ...everythingAt(wholeAddress), imageVariations: wholeAddress },
  rules: deploymentRules,
};

/** The complete URL of chat completions, from which the URL of Responses on the same server follows. */
const chatEnd = /\/chat\/completions(?=\/?(?:\?|$))/;
const responsesAddress: EndpointPath = (base, call, target) =>
  wholeAddress(base, call, target).replace(chatEnd, '/responses');

export const rows: readonly ProviderRow[] = [
  {
    id: 8,
    name: 'custom',
    label: 'Custom (full URL)',
    clientHeaders: openAIHeaders,
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: acceptsAccountFields,
    balance: openAIBalance,
    realtime: 'openai',
    adapter: openAICompatible(customVariant),
    adapterFor: ({ baseUrl }) =>
      chatEnd.test(baseUrl) ? openAICompatible({ ...customVariant, overResponses: responsesAddress }) : null,
  },
  {
    id: 58,
    name: 'custom',
    label: 'Custom (chosen endpoints)',
    enumName: 'CHOSEN_ENDPOINTS',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: acceptsAccountFields,
    clientHeaders: [...openAIHeaders, ...anthropicHeaders],
    other: { check: checkChosenEndpoints },
    adapter: chosenEndpoints(''),
    adapterFor: ({ other }) => chosenEndpoints(other),
  },
];
