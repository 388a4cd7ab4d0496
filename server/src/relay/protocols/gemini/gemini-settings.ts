/** What an admin decided for all Gemini channels (options `gemini.*`), and what one kind of channel wants. */
export interface GeminiSettings {
  /** Option `gemini.safety_settings`: threshold by category, `default` for the others. */
  readonly safety: Readonly<Record<string, string>>;
  /** Option `gemini.supported_imagine_models`: chat models that draw, beside those that say so in their name. */
  readonly imageModels: readonly string[];
  /** Option `gemini.models_supported_thinking_budget`: models whose thoughts are always shown. */
  readonly thinkingModels: readonly string[];
  /** Option `gemini.thinking_adapter_enabled`: names ending `-thinking` and `-nothinking` say whether to think. */
  readonly thinkingSuffix: boolean;
  /** Option `gemini.thinking_adapter_budget_tokens_percentage`, a share of 1. */
  readonly thinkingShare: number;
  /** Images of one message at most; -1: any number. */
  readonly imageLimit: number;
  /** Gemini names calls by id; Vertex refuses ids. */
  readonly callIds: boolean;
}

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
};

const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'];

/**
 * Always all five, so that Google's own defaults never decide
 * (docs/reference/providers/gemini-and-vertex.md#chat-to-generatecontent).
 */
export const safetySettings = (settings: GeminiSettings): { category: string; threshold: string }[] =>
  categories.map((name) => {
    const category = `HARM_CATEGORY_${name}`;
    return { category, threshold: settings.safety[category] ?? settings.safety['default'] ?? 'OFF' };
  });
