import type { Fields } from './neutral/fields.js';

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
  /** Whether messages may have the role `developer`. False: the role is sent as `system`. */
  readonly developerRole: boolean;
  /** The fields of `accountFields` that the provider knows. Other fields are removed and reported. */
  readonly accountFields: readonly AccountField[];
  /** Whether the provider accepts `reasoning_effort`. False: the field is left out and reported. */
  readonly reasoningEffort: boolean;
  /**
   * Shape of tool call ids. `any`: as the client sent them. Otherwise ids that do not consist of exactly `length`
   * letters and digits are replaced by a hash of that length; equal ids stay equal.
   */
  readonly callIds: 'any' | { readonly length: number };
  /** Whether the provider accepts functions. False: they are dropped, and a call that requires one is refused. */
  readonly tools: boolean;
  /**
   * Whether the provider accepts tools with plain text input. False: they become functions with one text field, and
   * their calls are converted back.
   */
  readonly customTools: boolean;
  /**
   * The field in which the provider wants the thoughts of earlier assistant messages. Null: they are left out and
   * reported.
   */
  readonly reasoningHistory: 'reasoning_content' | 'reasoning' | null;
  /**
   * The fields that turn thinking off, and the models that accept them: those that think by default and can be stopped.
   * Other models refuse a call with these fields. Null: no model of the provider accepts them.
   */
  readonly thinkingOff: { readonly models: RegExp; readonly fields: Fields } | null;
  /** The type of a tool that searches the web, in the form of OpenRouter; null: chat completions of the provider have none. */
  readonly searchTool: string | null;
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
  thinkingOff: null,
  searchTool: null,
};

/** Open models that think by default and can be stopped, under the names of most hosts. */
const hybrid =
  /(?:^|\/)(?:qwen3[.-]|glm-(?:4\.[5-9]|[5-9])|deepseek-v(?:3\.[1-9]|4)|kimi-k2\.[56])(?!.*(?:thinking|instruct|coder|speciale))/i;
const disabled = { thinking: { type: 'disabled' } };

/** Builds `thinkingOff` with one of the switches that providers have for it. */
export const byThinking = (models: RegExp): Accepts['thinkingOff'] => ({ models, fields: disabled });
export const byEnableThinking: Accepts['thinkingOff'] = { models: hybrid, fields: { enable_thinking: false } };
export const byTemplate: Accepts['thinkingOff'] = {
  models: hybrid,
  fields: { chat_template_kwargs: { enable_thinking: false } },
};

/** DeepSeek R1 refuses reasoning in the history, which every later model of the family requires. */
const refusesThoughts = /(?:^|\/)deepseek-r1(?:-|$)/i;

interface OneModel {
  readonly accepts: Accepts;
  readonly upstreamModel: string;
}

/** These models require earlier thoughts at every host. */
const wantsThoughts = /(?:^|\/)(?:deepseek-v[4-9]|kimi-k2-thinking|kimi-k2\.[5-9]|kimi-k[3-9])/i;

/** Returns the field for the thoughts of an assistant message, for one model of a provider. */
export function reasoningHistoryOf({ accepts, upstreamModel }: OneModel): Accepts['reasoningHistory'] {
  if (refusesThoughts.test(upstreamModel)) return null;
  return accepts.reasoningHistory ?? (wantsThoughts.test(upstreamModel) ? 'reasoning_content' : null);
}

/**
 * DeepSeek from V4 on refuses a history if one assistant turn has no thoughts. Other models require thoughts only with
 * tool calls.
 */
export const wantsEveryThought = (model: string): boolean => /(?:^|\/)deepseek-v[4-9]/i.test(model);

/** Returns the options of the chat completions codec, for one model of a provider. */
export const chatOptionsOf = (target: OneModel) => {
  const { thinkingOff, searchTool } = target.accepts;
  return {
    searchTool: searchTool ?? undefined,
    reasoningHistory: reasoningHistoryOf(target) ?? undefined,
    thinkingOff: thinkingOff?.models.test(target.upstreamModel) ? thinkingOff.fields : undefined,
  };
};
