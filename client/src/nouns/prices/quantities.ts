/** Quantities that have a price per million tokens. */
export const tokenQuantities = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWrite1h',
  'output',
  'reasoning',
  'audioInput',
  'cachedAudioInput',
  'audioOutput',
  'imageInput',
  'cachedImageInput',
  'imageOutput',
] as const;

/** Work of tools that a provider runs. */
const toolQuantities = ['webSearch', 'groundedPrompt', 'mapsPrompt', 'fileSearch', 'codeExecution'] as const;

/** Units that models without a price of tokens sell. */
export const productQuantities = ['image', 'second', 'secondWithAudio', 'page', 'character', 'request'] as const;

/** Quantities that have a price each. */
export const unitQuantities = [...toolQuantities, ...productQuantities] as const;

/** Units whose price may depend on the resolution of a video. */
export const videoQuantities = ['second', 'secondWithAudio'] as const;

export const quantities = [...tokenQuantities, ...unitQuantities] as const;
export type Quantity = (typeof quantities)[number];

/** Resolutions of videos. In each, a second may have a price of its own. */
const resolutions = ['480p', '720p', '1080p', '2k', '4k'] as const;

/** The facts about a call that prices may depend on. */
const conditionValues = {
  tier: ['flex', 'priority', 'batch', 'fast', 'ultrafast'],
  region: ['us'],
  searchSize: ['medium', 'high'],
  hours: ['off_peak'],
  resolution: resolutions,
} as const;

type ConditionValues = typeof conditionValues;
type ConditionName = keyof ConditionValues;
export const conditionNames = Object.keys(conditionValues) as ConditionName[];

/** The condition of a price: the facts that differ from those of a standard call. */
export type Condition = { readonly [Name in ConditionName]?: ConditionValues[Name][number] };

/** Every condition that a call can have. */
export const conditions: readonly Condition[] = [
  ...conditionNames.flatMap((name) => conditionValues[name].map((value): Condition => ({ [name]: value }))),
  { tier: 'fast', region: 'us' },
];

/** A condition of a card or of a log row. This console may not know its values. */
export type StatedCondition = { readonly [Name in ConditionName]?: string | null | undefined };

/** Returns a text that is equal for equal conditions. */
export const conditionKey = (when: StatedCondition): string => conditionNames.map((name) => when[name] ?? '').join(',');

type NamedFacts = { [Name in Exclude<ConditionName, 'resolution'>]: `${Name}.${ConditionValues[Name][number]}` };
/** A fact whose value has a name in the texts. Resolutions have none. */
type NamedFact = NamedFacts[keyof NamedFacts];

const facts: ReadonlySet<string> = new Set(
  conditionNames.flatMap((name) => conditionValues[name].map((value) => `${name}.${value}`)),
);
export const isNamedFact = (fact: string): fact is NamedFact => facts.has(fact) && !fact.startsWith('resolution.');
