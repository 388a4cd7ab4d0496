import { asFields } from './json.js';

/** Resolutions of videos. A second may have a different price in each. */
export const resolutions = ['480p', '720p', '1080p', '2k', '4k'] as const;
export type Resolution = (typeof resolutions)[number];

/** The facts about a call that prices may depend on, with the values that have prices of their own. */
export const conditionValues = {
  /** The service tier, as providers name it in responses. All others are the standard tier. */
  tier: ['flex', 'priority', 'batch', 'fast', 'ultrafast'],
  /** Where the provider ran the model: Anthropic. */
  region: ['us'],
  /** How much the provider searched: Perplexity. `low` has the standard price. */
  searchSize: ['medium', 'high'],
  /** The time of the call (`Provider.conditionAt`): DeepSeek. */
  hours: ['off_peak'],
  /** The resolution of a video. */
  resolution: resolutions,
} as const;

type ConditionValues = typeof conditionValues;
type ConditionName = keyof ConditionValues;
export const conditionNames = Object.keys(conditionValues) as ConditionName[];

/** The condition of a price: the facts that differ from those of a standard call. */
export type Condition = { readonly [Name in ConditionName]?: ConditionValues[Name][number] };

type Tier = ConditionValues['tier'][number];

/** Every condition that a call can have. Only Anthropic combines two: its faster mode costs more in the US. */
export const conditions: readonly Condition[] = [
  ...conditionNames.flatMap((name) => conditionValues[name].map((value): Condition => ({ [name]: value }))),
  { tier: 'fast', region: 'us' },
];

/** Returns a text that is equal for equal conditions. */
export const conditionKey = ({ tier, region, searchSize, hours, resolution }: Condition): string =>
  `${tier ?? ''},${region ?? ''},${searchSize ?? ''},${hours ?? ''},${resolution ?? ''}`;

/** Returns the condition that a value from outside states; undefined for the standard condition and for unknown values. */
export function conditionOf(value: unknown): Condition | undefined {
  const fields = asFields(value);
  if (!fields || Object.keys(fields).some((name) => !Object.hasOwn(conditionValues, name))) return undefined;
  return conditions.find((each) => conditionNames.every((name) => each[name] === fields[name]));
}

/** Returns a condition as text, such as `tier fast, region us`. */
export const conditionText = (when: Condition): string =>
  Object.entries(when)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Returns the parts of a condition, each a condition of one fact. */
export const partsOf = (when: Condition): Condition[] =>
  conditionNames.flatMap((name): Condition[] => (when[name] === undefined ? [] : [{ [name]: when[name] }]));

const tiers: ReadonlySet<unknown> = new Set(conditionValues.tier);

/** Returns the condition of a tier by a provider's name; undefined for the standard tier and for unknown names. */
export const whenTier = (name: unknown): Condition | undefined =>
  tiers.has(name) ? { tier: name as Tier } : undefined;

/** Returns the condition of a search by the size of the context that Perplexity searches. */
export const whenSearched = (size: unknown): Condition | undefined =>
  size === 'medium' || size === 'high' ? { searchSize: size } : undefined;

/** Other names of resolutions. */
const otherNames: Readonly<Record<string, Resolution>> = { '768p': '720p', '1440p': '2k', '2160p': '4k' };

/** Maximum pixels of a resolution, for any shape: 720p is 1280x720, and also 960x960. */
const maxPixels: ReadonlyArray<readonly [pixels: number, resolution: Resolution]> = [
  [600_000, '480p'],
  [1_400_000, '720p'],
  [2_800_000, '1080p'],
  [5_500_000, '2k'],
  [Infinity, '4k'],
];

/**
 * Returns the resolution by its name, in any case, or by a size such as `1280x720`; undefined for anything else.
 */
export function resolutionNamed(name: unknown): Resolution | undefined {
  if (typeof name !== 'string') return undefined;
  const text = name.toLowerCase();
  const size = /^(\d{1,5})x(\d{1,5})$/.exec(text);
  if (size) return maxPixels.find(([pixels]) => Number(size[1]) * Number(size[2]) <= pixels)?.[1];
  return resolutions.find((each) => each === text) ?? (Object.hasOwn(otherNames, text) ? otherNames[text] : undefined);
}
