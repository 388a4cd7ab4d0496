import openai from './openai/charging.json' with { type: 'json' };
import perplexity from './perplexity/charging.json' with { type: 'json' };

/** The file `charging.json` of a maker. Names of models are regular expressions for the beginning of a name. */
export interface ChargingFile {
  /** Models with an id each, such as custom GPTs: all of a family share one price, one route and one name in the log. */
  readonly families?: ReadonlyArray<{ readonly models: string; readonly name: string }>;
  /** Models whose audio has its own price on the chat and Responses endpoints (docs/reference/relay/billing.md#audio). */
  readonly chargesAudio?: readonly string[];
  /** Models that cache prompts without being asked, at more than the price of input. */
  readonly cachesUnasked?: readonly string[];
  /** Models that search and read on their own, whatever the request says, and bill it. */
  readonly searchesUnasked?: readonly string[];
}

/** The schema of the files is checked by `charging.test.ts`. */
export const chargingByMaker: Readonly<Record<string, ChargingFile>> = { openai, perplexity };

const files = Object.values(chargingByMaker);

const families = files
  .flatMap(({ families: own = [] }) => own)
  .map(({ models, name }) => ({ models: beginning([models]), name }));

/** Returns the name under which a model is priced, routed and logged: that of its family, else its own. */
export const familyOf = (model: string): string => families.find(({ models }) => models.test(model))?.name ?? model;

const withAudio = beginning(files.flatMap(({ chargesAudio = [] }) => chargesAudio));
export const chargesAudio = (model: string): boolean => withAudio.test(model);

const caching = beginning(
  files.flatMap(({ cachesUnasked: own = [] }) => own),
  '(?:^|/)',
);
/** @param model also with the name of a vendor before a slash */
export const cachesUnasked = (model: string): boolean => caching.test(model);

const searching = beginning(
  files.flatMap(({ searchesUnasked: own = [] }) => own),
  '(?:^|/)',
);
/** @param model also with the name of a vendor before a slash */
export const searchesUnasked = (model: string): boolean => searching.test(model);

function beginning(patterns: readonly string[], before = '^'): RegExp {
  return new RegExp(`${before}(?:${patterns.join('|') || '(?!)'})`);
}
