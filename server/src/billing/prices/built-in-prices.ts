import { type PricesFile, pricesByMaker } from '../../dialects/makers/prices.js';
import type { PriceCard } from '../../shared/price-card.js';
import { CardTable, type NamedCard } from './card-table.js';

const files = Object.values(pricesByMaker);

/** Returns the rules of all makers of one kind, with their expressions compiled. */
function rulesOf<Rule extends { readonly models: string; readonly anyCase?: boolean }>(
  of: (file: PricesFile) => readonly Rule[] | undefined,
): ReadonlyArray<Omit<Rule, 'models'> & { readonly models: RegExp }> {
  return files.flatMap((file) =>
    (of(file) ?? []).map((rule) => ({ ...rule, models: new RegExp(rule.models, rule.anyCase ? 'i' : '') })),
  );
}

/** The rules of all makers for models, by their name. The first rule that matches applies. */
export const makerRules = {
  completion: rulesOf(({ completion }) => completion),
  audio: rulesOf(({ audio }) => audio),
  tools: rulesOf(({ tools }) => tools),
};

/** All list prices that the program knows, by the name of the model. */
export const builtInCards: ReadonlyMap<string, PriceCard> = new Map(
  files.flatMap(({ source, asOf, cards = [] }) =>
    cards.flatMap(({ models, note: _, ...card }) =>
      models.map((name): [string, PriceCard] => [name, { ...card, ...(source && { source }), asOf }]),
    ),
  ),
);

/** Models of a provider that have a list price and are not ended; none for channel types that are not a provider's own. */
export const currentModels = (channelType: number): readonly string[] =>
  files
    .filter((file) => file.channelType === channelType)
    .flatMap(({ cards = [], ended = [] }) =>
      cards.flatMap(({ models }) => models.filter((name) => !ended.includes(name))),
    )
    .filter((name) => !name.endsWith('*'))
    .sort();

const table = new CardTable(builtInCards);

/** Endings that ask the same model to think more or less. */
const effort = /-(?:thinking|nothinking|minimal|low|medium|high|xhigh|none|thinking-\d+)$/;

/** The list price of a model; a name that ends with a way to think costs what the model costs. */
export function builtInCard(model: string): NamedCard | null {
  return table.find(model) ?? (effort.test(model) ? table.find(model.replace(effort, '')) : null);
}
