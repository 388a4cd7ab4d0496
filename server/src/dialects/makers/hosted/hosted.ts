import type { Adapter } from '../../contract.js';
import type { Target } from '../../target.js';
import { bearerIfGiven } from '../openai-compatible/address.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { baseOf } from '../openai-compatible/own-dialect.js';
import { hostedMessages } from './hosted-messages.js';

/** Returns the base URL without a version, which the paths contain. */
const hostOf = (target: Pick<Target, 'baseUrl'>): string => baseOf(target).replace(/\/v1$/, '');

/** A server or gateway that speaks OpenAI's dialects and Anthropic's, with an optional key. */
export const hosted = (variant: OpenAiVariant): Adapter => ({
  ...openAICompatible({ credentials: bearerIfGiven, responses: true, ...variant }),
  messages: hostedMessages((target) => `${hostOf(target)}/v1/messages`),
});
