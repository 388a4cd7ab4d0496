import { z } from 'zod';
import { maxInt32 } from './limits.js';
import { personalDataKinds } from './personal-data.js';

const names = z.array(z.string().trim().min(1).max(64)).max(200).optional();

/** The callers that a rule or a capture concerns: any of these groups or tokens. If both are absent, every caller. */
export const scopeFields = {
  groups: names,
  tokens: z.array(z.int().min(1).max(maxInt32)).max(1000).optional(),
};

const common = {
  name: z.string().trim().min(1).max(64),
  stage: z.enum(['input', 'output', 'both'], 'must be input, output or both'),
  ...scopeFields,
};

const masking = z.enum(['block', 'mask', 'log'], 'must be block, mask or log');
/**
 * The fields of a remote check. If the check fails, the text is accepted (`open`) or the call is refused (`closed`).
 */
const remote = {
  timeout_ms: z.int().min(50).max(30_000).default(2000),
  on_failure: z.enum(['open', 'closed'], 'must be open or closed'),
};

const address = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).max(500);

/** A word, or `regex:<pattern>`. */
export const guardrailWord = z
  .string()
  .min(1)
  .max(500)
  .refine((entry) => !entry.startsWith('regex:') || isPattern(entry.slice('regex:'.length)), 'must be a valid pattern');

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'giu');
    return source !== '';
  } catch {
    return false;
  }
}

/** One entry of the option `guardrails.rules` (docs/reference/relay/guardrails.md). */
export const guardrailRule = z.discriminatedUnion('check', [
  z.strictObject({
    ...common,
    check: z.literal('words'),
    action: masking,
    words: z.array(guardrailWord).min(1).max(5000),
  }),
  z.strictObject({
    ...common,
    check: z.literal('patterns'),
    action: masking,
    patterns: z.array(z.enum(personalDataKinds)).min(1),
  }),
  z.strictObject({
    ...common,
    check: z.literal('moderation'),
    // The service names categories, not parts of the text.
    action: z.enum(['block', 'log'], 'must be block or log'),
    ...remote,
    url: address.default('https://api.openai.com/v1/moderations'),
    model: z.string().min(1).max(100).default('omni-moderation-latest'),
    /** Categories; those that the service flags when absent. */
    categories: names,
    /** Scores from which a category counts, 0 to 1. The service's own decision applies when absent. */
    threshold: z.number().min(0).max(1).optional(),
  }),
  z.strictObject({ ...common, check: z.literal('webhook'), action: masking, ...remote, url: address }),
]);

export type GuardrailRule = z.infer<typeof guardrailRule>;
export type GuardrailStage = 'input' | 'output';

/** The list of rules, limited in number. Each has its own name. */
export const guardrailRules = z
  .array(guardrailRule)
  .max(50, 'must list at most 50 rules')
  .refine((rules) => new Set(rules.map(({ name }) => name)).size === rules.length, 'must have different names');

/** Whether a rule or a capture concerns the caller. */
export function concerns(
  {
    groups,
    tokens,
  }: { readonly groups?: readonly string[] | undefined; readonly tokens?: readonly number[] | undefined },
  group: string,
  tokenId: number,
): boolean {
  if (groups === undefined && tokens === undefined) return true;
  return groups?.includes(group) === true || tokens?.includes(tokenId) === true;
}
