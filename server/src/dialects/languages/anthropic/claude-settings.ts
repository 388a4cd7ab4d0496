import { claudeTraits } from './claude-model.js';

/** Settings of admins for all Claude channels (options `claude.*`), and differences of one kind of channel. */
export interface ClaudeSettings {
  /** Option `claude.default_max_tokens`: by model; `default` for models whose limit is unknown. */
  readonly defaultMaxTokens: Readonly<Record<string, number>>;
  /** Option `claude.thinking_adapter_enabled`: the name suffix `-thinking` turns thinking on. */
  readonly thinkingSuffix: boolean;
  /** Option `claude.thinking_adapter_budget_tokens_percentage`, as a fraction of 1. */
  readonly thinkingShare: number;
  /** Whether the provider fetches images by URL. Bedrock and Vertex do not. */
  readonly remoteMedia: boolean;
  /** Whether the provider searches the web. Absent: it does. Bedrock does not. */
  readonly searchesWeb?: boolean;
}

/** Defaults of the options `claude.*`. */
export const defaultClaudeSettings: ClaudeSettings = {
  defaultMaxTokens: { default: 8192 },
  thinkingSuffix: true,
  thinkingShare: 0.8,
  remoteMedia: true,
};

const flatLimit = 8192;

/** Returns the limit that the admin set for the model or for all models, even if the model supports more. */
export const usualMaxTokens = (model: string, settings: ClaudeSettings): number =>
  settings.defaultMaxTokens[model] ?? settings.defaultMaxTokens['default'] ?? flatLimit;

/**
 * Returns the output limit, which Claude requires: the admin's for this model, or else the model's own, or else the
 * admin's default.
 */
export const maxTokensFor = (model: string, settings: ClaudeSettings): number =>
  settings.defaultMaxTokens[model] ?? claudeTraits(model).outputLimit ?? usualMaxTokens(model, settings);
