import { claudeTraits } from './claude-model.js';

/** What an admin decided for all Claude channels (options `claude.*`), and what one kind of channel wants. */
export interface ClaudeSettings {
  /** Option `claude.default_max_tokens`: by model, `default` for those whose limit nobody knows. */
  readonly defaultMaxTokens: Readonly<Record<string, number>>;
  /** Option `claude.thinking_adapter_enabled`: names ending `-thinking` think. */
  readonly thinkingSuffix: boolean;
  /** Option `claude.thinking_adapter_budget_tokens_percentage`, a share of 1. */
  readonly thinkingShare: number;
  /** The provider fetches images by address. Bedrock and Vertex do not. */
  readonly remoteMedia: boolean;
}

export const defaultClaudeSettings: ClaudeSettings = {
  defaultMaxTokens: { default: 8192 },
  thinkingSuffix: true,
  thinkingShare: 0.8,
  remoteMedia: true,
};

const flatLimit = 8192;

/** What the admin set for all models, however much the model could write. */
export const usualMaxTokens = (model: string, settings: ClaudeSettings): number =>
  settings.defaultMaxTokens[model] ?? settings.defaultMaxTokens['default'] ?? flatLimit;

/** Claude must be told a limit: the admin's for this model, else the model's own, else the admin's for all. */
export const maxTokensFor = (model: string, settings: ClaudeSettings): number =>
  settings.defaultMaxTokens[model] ?? claudeTraits(model).outputLimit ?? usualMaxTokens(model, settings);
