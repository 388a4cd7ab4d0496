import { z } from 'zod';
import { guardrailWord, scopeFields } from './guardrail-rule.js';
import { personalDataKinds } from './personal-data.js';

/**
 * One entry of the option `content_capture.rules` (docs/reference/relay/captures.md). The first entry that concerns a
 * caller applies.
 */
const captureRule = z.strictObject({
  ...scopeFields,
  /** Share of the calls, 0 to 100. */
  percent: z.number().min(0).max(100).default(100),
  /** Kinds of personal data that are replaced before anything is stored. */
  redact: z.array(z.enum(personalDataKinds)).default([...personalDataKinds]),
  /** Further words that are replaced, as in guardrails. */
  redact_words: z.array(guardrailWord).max(1000).optional(),
});

export type CaptureRule = z.infer<typeof captureRule>;

/** Capture is opt-in: an entry names groups or tokens. */
export const captureRules = z
  .array(
    captureRule.refine(
      ({ groups = [], tokens = [] }) => groups.length + tokens.length > 0,
      'must name at least one group or token',
    ),
  )
  .max(50, 'must list at most 50 rules');
