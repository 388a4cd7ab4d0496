import type { GeminiSettings } from './gemini-settings.js';

/** Capabilities of one Gemini model (docs/reference/providers/gemini-and-vertex.md). */
export interface GeminiTraits {
  /** `none`: refuses any thinking field; `budget`: takes a token budget; `level`: takes a level. */
  readonly thinking: 'none' | 'budget' | 'level';
  readonly pro: boolean;
  /** Can respond with images. */
  readonly draws: boolean;
  /** Accepts JSON schemas unchanged; older models require their own schema dialect. */
  readonly jsonSchema: boolean;
  /**
   * Generation 3 or later: runs Google's tools and the client's in one call, and requires thinking signatures on calls
   * in the history.
   */
  readonly third: boolean;
}

const numbered = /gemini-(\d+(?:\.\d+)?)/;
/** Names that follow the newest models, and names of image models: their generation is at least the third. */
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

/** `gemini-x-thinking` and `gemini-x-nothinking` are `gemini-x` with thinking on or off, if the admin enabled it. */
export function cutSuffix(
  model: string,
  settings: Pick<GeminiSettings, 'thinkingSuffix'>,
): { model: string; suffix: string | null } {
  const found = settings.thinkingSuffix ? suffixes.exec(model) : null;
  return found ? { model: model.slice(0, found.index), suffix: found[1] ?? null } : { model, suffix: null };
}
