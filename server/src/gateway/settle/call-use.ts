import { estimatePrompt } from '../reserve/metering/prompt-tokens.js';
import type { CallUse } from '../route/limits/limit-board.js';
import type { Call } from '../call.js';
import type { Billed } from './settlement.js';

/**
 * Returns the use that limits of channels count before a call: its estimated prompt and the output limit of its client.
 * @param quota the reserved quota
 */
export const reservedUse = ({ rawBody, request, admission }: Call, quota: number): CallUse => ({
  tokens: estimatePrompt(rawBody, request.body, admission.bareModel) + request.maxOutput,
  quota,
});

/** Returns the real use of a call. */
export const useOf = ({ usage, quota }: Billed): CallUse => ({
  tokens: usage.promptTokens + usage.completionTokens,
  quota,
});
