import type { GeminiSettings } from './gemini-settings.js';

/** Capabilities of one Gemini model (docs/reference/providers/gemini-and-vertex.md). */
export interface GeminiTraits {
  /** `none`: refuses any thinking field; `budget`: takes a token budget; `level`: takes a level. */
  readonly thinking: 'none' | 'budget' | 'level';
  readonly pro: boolean;
  /** Whether the model can respond with images. */
  readonly draws: boolean;
  /** Whether the model accepts JSON schemas unchanged. Older models require their own schema dialect. */
  readonly jsonSchema: boolean;
  /**
   * Whether the model is of generation 3 or later: it runs Google's tools and the client's in one call, and requires
   * thinking signatures on calls in the history.
   */
  readonly third: boolean;
}

const numbered = /gemini-(\d+(?:\.\d+)?)/;
/** Names that always mean the newest model, and names of image models. They are of generation 3 or later. */
const current = /^gemini-(?:pro|flash|flash-lite)-latest|nano-banana/;

/** The capabilities of a model, by its name and the options. */
export function geminiTraits(model: string, settings: Pick<GeminiSettings, 'imageModels'>): GeminiTraits {
  const version = Number(numbered.exec(model)?.[1] ?? (current.test(model) ? 3 : 0));
  const draws = /-image|nano-banana/.test(model) || settings.imageModels.includes(model);
  return {
    thinking: version >= 3 ? 'level' : version >= 2.5 && !(draws && version < 3) ? 'budget' : 'none',
    pro: model.includes('-pro'),
    draws,
    jsonSchema: version >= 2.5,
    third: version >= 3,
  };
}

const suffixes = /-(thinking|nothinking)$/;

/**
 * Removes the suffix of `gemini-x-thinking` and `gemini-x-nothinking`, which mean `gemini-x` with thinking on or off,
 * if the admin enabled it.
 */
export function cutSuffix(
  model: string,
  settings: Pick<GeminiSettings, 'thinkingSuffix'>,
): { model: string; suffix: string | null } {
  const found = settings.thinkingSuffix ? suffixes.exec(model) : null;
  return found ? { model: model.slice(0, found.index), suffix: found[1] ?? null } : { model, suffix: null };
}
