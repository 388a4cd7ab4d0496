import type { PriceCard } from '../../shared/price-card.js';
import { anthropicCards } from './built-in-cards/anthropic.js';
import { builtInAsOf, type BuiltInCards, type MakerRules } from './built-in-cards/built-in-card.js';
import {
  baiduRules,
  doubaoCards,
  klingCards,
  minimaxCards,
  moonshotCards,
  qwenCards,
  viduCards,
  zhipuCards,
} from './built-in-cards/chinese.js';
import { googleCards } from './built-in-cards/google.js';
import { openaiCards } from './built-in-cards/openai.js';
import {
  cohereCards,
  deepseekCards,
  metaRules,
  mistralCards,
  perplexityCards,
  xaiCards,
} from './built-in-cards/western.js';
import { CardTable, type NamedCard } from './card-table.js';

const providers: readonly BuiltInCards[] = [
  ...[openaiCards, anthropicCards, googleCards, deepseekCards, xaiCards, mistralCards, cohereCards],
  ...[qwenCards, moonshotCards, zhipuCards, minimaxCards, doubaoCards, klingCards, viduCards, perplexityCards],
];

const rules: readonly MakerRules[] = [...providers, baiduRules, metaRules];

/** The rules of all makers for models, by their name. The first rule that matches applies. */
export const makerRules = {
  completion: rules.flatMap(({ completion = [] }) => completion),
  audio: rules.flatMap(({ audio = [] }) => audio),
  tools: rules.flatMap(({ tools = [] }) => tools),
};

/** All list prices that the program knows, by the name of the model. */
export const builtInCards: ReadonlyMap<string, PriceCard> = new Map(
  providers.flatMap(({ source, cards }) =>
    cards.flatMap(({ names, ...card }) =>
      names.split(' ').map((name): [string, PriceCard] => [name, { ...card, source, asOf: builtInAsOf }]),
    ),
  ),
);

const table = new CardTable(builtInCards);

/** Endings that ask the same model to think more or less. */
const effort = /-(?:thinking|nothinking|minimal|low|medium|high|xhigh|none|thinking-\d+)$/;

/** The list price of a model; a name that ends with a way to think costs what the model costs. */
export function builtInCard(model: string): NamedCard | null {
  return table.find(model) ?? (effort.test(model) ? table.find(model.replace(effort, '')) : null);
}
