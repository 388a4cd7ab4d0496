import ratios from './default-ratios.json' with { type: 'json' };

/*
 * Built-in values of the table options (docs/reference/rest/options.md#models-groups-limits). Data only; formulas live
 * in `billing/prices`.
 */

/** Prompt ratios; 1 means 2 USD per million tokens. */
export const defaultModelRatios: Readonly<Record<string, number>> = ratios.model;

/** Fixed prices in USD per call. */
export const defaultModelPrices: Readonly<Record<string, number>> = ratios.fixedPrices;

/** Completion ratios. */
export const defaultCompletionRatios: Readonly<Record<string, number>> = ratios.completion;

/** Ratios of cached prompt tokens. */
export const defaultCacheRatios: Readonly<Record<string, number>> = ratios.cache;

/** Price ratios of groups. The keys are the list of groups. */
export const defaultGroupRatios: Readonly<Record<string, number>> = { default: 1, vip: 1, svip: 1 };

/** Top-up price ratios of groups. */
export const defaultTopupGroupRatios: Readonly<Record<string, number>> = { default: 1, vip: 1, svip: 1 };

/** Groups that any user may choose, with their display names. */
export const defaultUsableGroups: Readonly<Record<string, string>> = { default: 'Default group', vip: 'VIP group' };

/** Allowed e-mail domains. */
export const defaultEmailDomains: readonly string[] = [
  'gmail.com',
  '163.com',
  '126.com',
  'qq.com',
  'outlook.com',
  'hotmail.com',
  'icloud.com',
  'yahoo.com',
  'foxmail.com',
];

/** Words that prompts must not contain. */
export const defaultSensitiveWords: readonly string[] = ['test_sensitive'];

/** Upstream error texts that disable a channel. */
export const defaultDisableKeywords: readonly string[] = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
];

/** Maximum output tokens by Claude model; `default` for all others. */
export const defaultClaudeMaxTokens: Readonly<Record<string, number>> = { default: 8192 };

/** Gemini safety thresholds by category. */
export const defaultGeminiSafety: Readonly<Record<string, string>> = {
  default: 'OFF',
  HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE',
  HARM_CATEGORY_HATE_SPEECH: 'BLOCK_NONE',
  HARM_CATEGORY_SEXUALLY_EXPLICIT: 'BLOCK_NONE',
  HARM_CATEGORY_DANGEROUS_CONTENT: 'BLOCK_NONE',
};

/** Gemini API version by model. */
export const defaultGeminiVersions: Readonly<Record<string, string>> = {
  default: 'v1beta',
  'gemini-1.0-pro': 'v1beta',
};

/** Gemini models that generate images. */
export const defaultGeminiImagineModels: readonly string[] = [
  'gemini-2.0-flash-exp-image-generation',
  'gemini-2.0-flash-exp',
];

/** Gemini models that accept a thinking budget. */
export const defaultGeminiThinkingModels: readonly string[] = [
  'gemini-2.5-flash-preview-05-20',
  'gemini-2.5-flash-preview-04-17',
  'gemini-2.5-pro-preview-06-05',
];
