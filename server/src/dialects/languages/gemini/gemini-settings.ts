/** Settings of admins for all Gemini channels (options `gemini.*`), and differences of one kind of channel. */
export interface GeminiSettings {
  /** Option `gemini.safety_settings`: threshold by category, `default` for all others. */
  readonly safety: Readonly<Record<string, string>>;
  /**
   * Option `gemini.supported_imagine_models`: chat models that generate images, in addition to those recognised by
   * name.
   */
  readonly imageModels: readonly string[];
  /** Option `gemini.models_supported_thinking_budget`: models whose thoughts are always shown. */
  readonly thinkingModels: readonly string[];
  /**
   * Option `gemini.thinking_adapter_enabled`: the name suffixes `-thinking` and `-nothinking` turn thinking on or off.
   */
  readonly thinkingSuffix: boolean;
  /** Option `gemini.thinking_adapter_budget_tokens_percentage`, as a fraction of 1. */
  readonly thinkingShare: number;
  /** Maximum number of images per message; -1: unlimited. */
  readonly imageLimit: number;
  /** Whether calls may have ids: Gemini accepts them, Vertex refuses them. */
  readonly callIds: boolean;
  /** Whether a search may exclude domains: Vertex has a field for it, Gemini refuses that field. */
  readonly excludesDomains: boolean;
}

/** Defaults of the options `gemini.*`. */
export const defaultGeminiSettings: GeminiSettings = {
  safety: {
    default: 'OFF',
    HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE',
    HARM_CATEGORY_HATE_SPEECH: 'BLOCK_NONE',
    HARM_CATEGORY_SEXUALLY_EXPLICIT: 'BLOCK_NONE',
    HARM_CATEGORY_DANGEROUS_CONTENT: 'BLOCK_NONE',
  },
  imageModels: ['gemini-2.0-flash-exp-image-generation', 'gemini-2.0-flash-exp'],
  thinkingModels: ['gemini-2.5-flash-preview-05-20', 'gemini-2.5-flash-preview-04-17', 'gemini-2.5-pro-preview-06-05'],
  thinkingSuffix: false,
  thinkingShare: 0.6,
  imageLimit: 16,
  callIds: true,
  excludesDomains: false,
};

const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'];

/**
 * Always sends all five categories, so that Google's defaults never apply
 * (docs/reference/providers/gemini-and-vertex.md#chat-to-generatecontent).
 */
export const safetySettings = (settings: GeminiSettings): { category: string; threshold: string }[] =>
  categories.map((name) => {
    const category = `HARM_CATEGORY_${name}`;
    return { category, threshold: settings.safety[category] ?? settings.safety['default'] ?? 'OFF' };
  });
