import { estimatePrompt } from '../reserve/metering/prompt-tokens.js';
import type { CallUse } from '../route/limits/limit-board.js';
import type { Call } from '../call.js';
import type { Billed } from './settlement.js';

/**
 * The use that limits of channels count before a call: its estimated prompt and the output limit of its client.
 * @param quota as it is reserved
 */
export const reservedUse = ({ rawBody, request, admission }: Call, quota: number): CallUse => ({
  tokens: estimatePrompt(rawBody, request.body, admission.bareModel) + request.maxOutput,
  quota,
});

/** The use that a call turned out to make. */
export const useOf = ({ usage, quota }: Billed): CallUse => ({
  tokens: usage.promptTokens + usage.completionTokens,
  quota,
});
