/** The first rule that matches the name applies. A locked ratio takes precedence over the table that the site saved. */
type Rule = readonly [names: RegExp, ratio: number, lock?: 'locked'];

export interface Ruled {
  readonly ratio: number;
  readonly isLocked: boolean;
}

const family35: readonly Rule[] = [
  [/^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, 3, 'locked'],
  [/^gpt-3\.5.*1106$/, 2, 'locked'],
  [/^gpt-3\.5/, 4 / 3, 'locked'],
];

const commands: readonly Rule[] = [
  [/^command-r$/, 3, 'locked'],
  [/^command-r-plus$/, 5, 'locked'],
  [/^command-r(-plus)?-08-2024$/, 4, 'locked'],
  [/^command/, 4],
];

const others: readonly Rule[] = [
  [/^ERNIE-(Speed-|Lite-|Character|Functions)/, 2, 'locked'],
  [/^llama2-70b-4096$/, 1.25, 'locked'],
  [/^llama3-8b-8192$/, 2, 'locked'],
  [/^llama3-70b-8192$/, 79 / 59, 'locked'],
];

/** Rules of Veloera, and of new-api until 2025-07. */
const early: readonly Rule[] = [
  [/^gpt-4.*(-all|-gizmo-\*)$/, 1],
  [/^gpt-4o-2024-05-13$/, 3, 'locked'],
  [/^gpt-4o/, 4, 'locked'],
  [/^gpt-4\.5-preview/, 2, 'locked'],
  [/^gpt-4-turbo|gpt-4-110[56]$/, 3, 'locked'],
  [/^gpt-4/, 2],
  [/^o[13]/, 4, 'locked'],
  [/^chatgpt-4o-latest$/, 3, 'locked'],
  [/claude-(3|sonnet-4|opus-4)/, 5, 'locked'],
  [/claude-(instant-1|2)/, 3, 'locked'],
  ...family35,
  [/^mistral-/, 3, 'locked'],
  [/^gemini-1\.[05]-pro/, 4, 'locked'],
  [/^gemini-2\.5-pro-preview/, 8, 'locked'],
  [/^gemini-2\.5-flash-preview.*-nothinking$/, 4],
  [/^gemini-2\.5-flash-preview/, 35 / 6],
  [/^gemini/, 4],
  ...commands,
  [/^deepseek-(chat|reasoner)$/i, 4, 'locked'],
  ...others,
];

/** Rules of new-api of 2026. */
const current: readonly Rule[] = [
  [/-all$|-gizmo-\*$/, 2],
  [/^gpt-4o-2024-05-13$/, 3, 'locked'],
  [/^gpt-4o-mini-tts/, 20],
  [/^gpt-4o/, 4],
  [/^gpt-5[^.]*$/, 8, 'locked'],
  [/^gpt-5\.4-nano/, 6.25, 'locked'],
  [/^gpt-5\.4/, 6, 'locked'],
  [/^gpt-5/, 6],
  [/^gpt-4\.5-preview/, 2, 'locked'],
  [/^gpt-4-turbo|gpt-4-110[56]$/, 3, 'locked'],
  // This rule applies to all names with `gpt-` that match no rule above, including gpt-3.5.
  [/^gpt-/, 2],
  [/^o[13]/, 4, 'locked'],
  [/^chatgpt-4o-latest$/, 3, 'locked'],
  [/claude-(3|(sonnet|opus|haiku)-4|(fable|sonnet|opus)-5)/, 5, 'locked'],
  [/^mistral-/, 3, 'locked'],
  [/^gemini-(1\.5|2\.0)/, 4, 'locked'],
  [/^gemini-2\.5-pro/, 8],
  [/^gemini-2\.5-flash-preview.*-nothinking$/, 4],
  [/^gemini-2\.5-flash-preview/, 70 / 3],
  [/^gemini-2\.5-flash-lite/, 4],
  [/^gemini-(2\.5-flash|robotics-er-1\.5)/, 25 / 3],
  [/^gemini-3-pro-image/, 60],
  [/^gemini-3-pro/, 6],
  [/^gemini-/, 4],
  ...commands,
  ...others,
];

/** Rules of one-api, whose saved table takes precedence over every rule. */
const oneApi: readonly Rule[] = [
  ...family35,
  [/^gpt-4o-2024-05-13$/, 3],
  [/^gpt-4o/, 4],
  [/^gpt-4-turbo|^gpt-4.*preview$/, 3],
  [/^gpt-4/, 2],
  [/^o1/, 4],
  [/^chatgpt-4o-latest$/, 3],
  [/^claude-3/, 5],
  [/^claude-/, 3],
  [/^(mistral|gemini)-/, 3],
  [/^deepseek-/, 2],
  [/^command-r$/, 3],
  [/^command-r-plus$/, 5],
  [/^command(-light)?(-nightly)?$/, 2],
  [/^grok-beta$/, 3],
  ...others.slice(1),
  [/^ibm-granite\/granite-3\.0-2b-instruct$/, 25 / 3],
  [/^ibm-granite\/granite-(20b|3\.0-8b|8b)/, 5],
  [/^meta\/(meta-)?llama-[23]-(7b|8b|13b)(-chat|-instruct)?$/, 5],
  [/^meta\/(meta-)?llama-[23]-70b(-chat|-instruct)?$/, 275 / 65],
  [/^mistralai\/mistral-7b(-instruct)?-v0\.[12]$/, 5],
  [/^mistralai\/mixtral-8x7b-instruct-v0\.1$/, 10 / 3],
];

const ruledBy =
  (rules: readonly Rule[]) =>
  (model: string): Ruled => {
    const [, ratio = 1, lock] = rules.find(([names]) => names.test(model)) ?? [];
    return { ratio, isLocked: lock === 'locked' };
  };

export const completionRules = {
  early: ruledBy(early),
  current: ruledBy(current),
  oneApi: ruledBy(oneApi),
} as const;
