/**
 * Built-in values of the table options (docs/reference/rest/options.md#models-groups-limits). Data only; formulas live
 * in `billing/prices`.
 */

/** Fixed prices in USD per call. */
export const defaultModelPrices: Readonly<Record<string, number>> = {
  suno_music: 0.1,
  suno_lyrics: 0.01,
  'dall-e-3': 0.04,
  'imagen-3.0-generate-002': 0.03,
  'gpt-4-gizmo-*': 0.1,
  mj_imagine: 0.1,
  mj_variation: 0.1,
  mj_reroll: 0.1,
  mj_blend: 0.1,
  mj_modal: 0.1,
  mj_zoom: 0.1,
  mj_shorten: 0.1,
  mj_high_variation: 0.1,
  mj_low_variation: 0.1,
  mj_pan: 0.1,
  mj_inpaint: 0,
  mj_custom_zoom: 0,
  mj_describe: 0.05,
  mj_upscale: 0.05,
  swap_face: 0.05,
  mj_upload: 0.05,
};

/** Completion ratios. */
export const defaultCompletionRatios: Readonly<Record<string, number>> = {
  'gpt-4-gizmo-*': 2,
  'gpt-4o-gizmo-*': 3,
  'gpt-4-all': 2,
};

/** Ratios of cached prompt tokens. */
export const defaultCacheRatios: Readonly<Record<string, number>> = {
  'gpt-4': 0.5,
  o1: 0.5,
  'o1-2024-12-17': 0.5,
  'o1-preview-2024-09-12': 0.5,
  'o1-preview': 0.5,
  'o1-mini-2024-09-12': 0.5,
  'o1-mini': 0.5,
  'o3-mini': 0.5,
  'o3-mini-2025-01-31': 0.5,
  'gpt-4o-2024-11-20': 0.5,
  'gpt-4o-2024-08-06': 0.5,
  'gpt-4o': 0.5,
  'gpt-4o-mini-2024-07-18': 0.5,
  'gpt-4o-mini': 0.5,
  'gpt-4o-realtime-preview': 0.5,
  'gpt-4o-mini-realtime-preview': 0.5,
  'gpt-4.5-preview': 0.5,
  'gpt-4.5-preview-2025-02-27': 0.5,
  'gpt-5': 0.1,
  'gpt-5-2025-08-07': 0.1,
  'gpt-5-chat-latest': 0.1,
  'gpt-5-mini': 0.1,
  'gpt-5-mini-2025-08-07': 0.1,
  'gpt-5-nano': 0.1,
  'gpt-5-nano-2025-08-07': 0.1,
  'gpt-5-codex': 0.1,
  'gpt-5.1': 0.1,
  'gpt-5.2': 0.1,
  'gpt-5.4': 0.1,
  'gpt-5.4-mini': 0.1,
  'gpt-5.4-nano': 0.1,
  'gpt-5.5': 0.1,
  'gpt-5.6': 0.1,
  'gpt-5.6-sol': 0.1,
  'gpt-5.6-terra': 0.1,
  'gpt-5.6-luna': 0.1,
  'deepseek-chat': 0.25,
  'deepseek-reasoner': 0.25,
  'deepseek-coder': 0.25,
  'claude-3-sonnet-20240229': 0.1,
  'claude-3-opus-20240229': 0.1,
  'claude-3-haiku-20240307': 0.1,
  'claude-3-5-haiku-20241022': 0.1,
  'claude-3-5-sonnet-20240620': 0.1,
  'claude-3-5-sonnet-20241022': 0.1,
  'claude-3-7-sonnet-20250219': 0.1,
  'claude-3-7-sonnet-20250219-thinking': 0.1,
  'claude-sonnet-4-20250514': 0.1,
  'claude-sonnet-4-20250514-thinking': 0.1,
  'claude-opus-4-20250514': 0.1,
  'claude-opus-4-20250514-thinking': 0.1,
  'claude-opus-4-1-20250805': 0.1,
  'claude-haiku-4-5': 0.1,
  'claude-haiku-4-5-20251001': 0.1,
  'claude-sonnet-4-5': 0.1,
  'claude-sonnet-4-5-20250929': 0.1,
  'claude-opus-4-5': 0.1,
  'claude-opus-4-5-20251101': 0.1,
  'claude-sonnet-4-6': 0.1,
  'claude-opus-4-6': 0.1,
  'claude-opus-4-7': 0.1,
  'claude-opus-4-8': 0.1,
  'claude-sonnet-5': 0.1,
  'claude-opus-5': 0.1,
  'claude-fable-5': 0.1,
  'gemini-2.5-pro': 0.1,
  'gemini-2.5-flash': 0.1,
  'gemini-2.5-flash-lite': 0.1,
};

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
