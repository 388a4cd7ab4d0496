import type { GeminiSettings } from './gemini-settings.js';

/** What one Gemini model takes (docs/reference/providers/gemini-and-vertex.md). */
export interface GeminiTraits {
  /** Refuses any word about thinking; takes a budget of tokens; takes a level. */
  readonly thinking: 'none' | 'budget' | 'level';
  readonly pro: boolean;
  /** Answers with pictures too. */
  readonly draws: boolean;
  /** Takes JSON schemas as they are; older ones take a dialect of their own. */
  readonly jsonSchema: boolean;
  /** Runs Google's tools and the client's in one call; wants thinking signature with calls of the history. */
  readonly third: boolean;
}

export function geminiTraits(model: string, settings: Pick<GeminiSettings, 'imageModels'>): GeminiTraits {
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
  const draws = model.includes('-image') || settings.imageModels.includes(model);
  return {
    thinking: version >= 3 ? 'level' : version >= 2.5 && !(draws && version < 3) ? 'budget' : 'none',
    pro: model.includes('-pro'),
    draws,
    jsonSchema: version >= 2.5,
    third: version >= 3,
  };
}

const suffixes = /-(thinking|nothinking)$/;

/** `gemini-x-thinking` and `gemini-x-nothinking` are `gemini-x`, as long as the admin wants it so. */
export function cutSuffix(
  model: string,
  settings: Pick<GeminiSettings, 'thinkingSuffix'>,
): { model: string; suffix: string | null } {
  const found = settings.thinkingSuffix ? suffixes.exec(model) : null;
  return found ? { model: model.slice(0, found.index), suffix: found[1] ?? null } : { model, suffix: null };
}
