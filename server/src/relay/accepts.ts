/** Fields that concern the client's account at OpenAI. */
export const accountFields = [
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
] as const;
export type AccountField = (typeof accountFields)[number];

/** Fields and shapes of OpenAI's dialect that a provider accepts. The body is changed where it does not. */
export interface Accepts {
  /** Role `developer` in messages. False: sent as `system`. */
  readonly developerRole: boolean;
  /** Those of `accountFields` that the provider knows. The others are left out and reported. */
  readonly accountFields: readonly AccountField[];
  /** `reasoning_effort`. False: left out and reported. */
  readonly reasoningEffort: boolean;
  /**
   * Shape of tool call ids. `any`: as the client sent them. Otherwise ids that do not consist of exactly `length`
   * letters and digits are replaced by a hash of that length; equal ids stay equal.
   */
  readonly callIds: 'any' | { readonly length: number };
  /** Functions. False: they are dropped, and a call that asks for one is refused. */
  readonly tools: boolean;
  /** Tools that take plain text. False: they become functions with one text field, and their calls are turned back. */
  readonly customTools: boolean;
  /**
   * The field in which an assistant message of the history keeps its thoughts, where the provider wants them back; null:
   * they are left out and reported.
   */
  readonly reasoningHistory: 'reasoning_content' | 'reasoning' | null;
}

/** A provider that accepts every field of OpenAI's dialect. */
export const acceptsEverything: Accepts = {
  developerRole: true,
  accountFields,
  reasoningEffort: true,
  callIds: 'any',
  tools: true,
  customTools: true,
  reasoningHistory: null,
};

/** DeepSeek R1 refuses reasoning in the history, which every later model of the family requires. */
const refusesThoughts = /(?:^|\/)deepseek-r1(?:-|$)/i;

/** The field for the thoughts of an assistant message, for one model of a provider. */
export const reasoningHistoryOf = ({
  accepts,
  upstreamModel,
}: {
  readonly accepts: Accepts;
  readonly upstreamModel: string;
}): Accepts['reasoningHistory'] => (refusesThoughts.test(upstreamModel) ? null : accepts.reasoningHistory);
