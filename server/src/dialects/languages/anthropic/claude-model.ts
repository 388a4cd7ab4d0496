/**
 * Capabilities of one Claude model (docs/reference/providers/anthropic.md). Unknown names are assumed to be recent
 * models.
 */
export interface ClaudeTraits {
  /** `adaptive` models decide how much to think; older ones take a token budget. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Whether the model refuses the effort `disabled`: the minimum is then the lowest effort. */
  readonly alwaysThinks: boolean;
  /** Whether the model can be forced to call a tool. */
  readonly forced: boolean;
  /**
   * Whether the model refuses earlier thoughts if anything before them has changed, unless the request permits it to
   * leave them out.
   */
  readonly bindsThoughts: boolean;
  /** Whether the model accepts temperature, top_p and top_k. */
  readonly sampling: boolean;
  /** Whether the model accepts temperature and top_p in one call. */
  readonly samplingTogether: boolean;
  /** Whether the model accepts a JSON schema for its response. */
  readonly schemas: boolean;
  /** Whether the model returns thinking text only if a summary is requested. */
  readonly hidesThoughts: boolean;
  /** Whether the model accepts the effort `xhigh`. */
  readonly extraEffort: boolean;
  /** Maximum output tokens; null when unknown. */
  readonly outputLimit: number | null;
}

interface Version {
  readonly family: string;
  readonly number: number;
}

/** `claude-sonnet-4-5-20250929`: the date is not a minor version. */
const familyFirst = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/;
/** Matches `claude-3-5-haiku-20241022`. */
const versionFirst = /claude-(\d)(?:[-.](\d))?-(opus|sonnet|haiku)/;
/** Families that began with version 5; a preview has no number. */
const fifth = /claude-(fable|mythos)/;
const ancient = /claude-(?:instant|[12](?:\.\d)?(?:$|[-@:]))/;

/** @returns null when the name contains no version, as with aliases and profiles */
function versionOf(model: string): Version | null {
  const named = familyFirst.exec(model);
  if (named) return { family: named[1] ?? '', number: Number(named[2]) + Number(named[3] ?? 0) / 10 };
  const old = versionFirst.exec(model);
  if (old) return { family: old[3] ?? '', number: Number(old[1]) + Number(old[2] ?? 0) / 10 };
  const young = fifth.exec(model);
  if (young) return { family: young[1] ?? '', number: 5 };
  return ancient.test(model) ? { family: 'ancient', number: 2 } : null;
}

/** @param model any spelling of the name: plain, Bedrock's or Vertex's */
export function claudeTraits(model: string): ClaudeTraits {
  const version = versionOf(model);
  if (!version) {
    return {
      thinking: 'budget',
      alwaysThinks: false,
      forced: true,
      bindsThoughts: false,
      sampling: true,
      samplingTogether: true,
      schemas: true,
      hidesThoughts: false,
      extraEffort: false,
      outputLimit: null,
    };
  }
  const { family, number } = version;
  const adaptive = number >= 5 || (number >= 4.6 && family !== 'haiku');
  const newest = number >= 5 || (number >= 4.7 && family === 'opus');
  const bindsThoughts = number >= (fifth.test(model) ? 5.1 : 5.5);
  return {
    thinking: adaptive ? 'adaptive' : number >= 3.7 ? 'budget' : 'none',
    alwaysThinks: fifth.test(model) || (number >= 5.5 && family !== 'haiku'),
    forced: !bindsThoughts || family === 'haiku',
    bindsThoughts,
    sampling: !newest,
    samplingTogether: number < 4,
    schemas: number >= 4.5 || (number >= 4.1 && family === 'opus'),
    hidesThoughts: newest,
    extraEffort: newest,
    outputLimit: outputLimit(family, number),
  };
}

function outputLimit(family: string, number: number): number {
  if (number >= 4.6) return 128_000;
  if (family === 'opus' && number >= 4 && number < 4.5) return 32_000;
  if (number >= 3.7) return 64_000;
  return number >= 3.5 ? 8192 : 4096;
}
