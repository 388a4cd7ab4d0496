import { z } from 'zod';
import { isCardName, parsePriceCard, PriceCardError } from './price-card-input.js';
import type { PriceCard } from './price-card.js';

/** The costs of a channel for its operator. */
export interface CostRule {
  /** The factor of the list price, for models without a cost card. 0 when the channel is free. */
  readonly factor: number;
  /** Cost cards by model, or by a prefix that ends with `*`. */
  readonly cards: Readonly<Record<string, PriceCard>>;
}

export const listCost: CostRule = { factor: 1, cards: {} };

const maxFactor = 1000;
const maxCards = 500;

const rule = z.strictObject({
  factor: z.number('must be a number').min(0, 'must not be negative').max(maxFactor, 'is too large').optional(),
  cards: z.record(z.string(), z.unknown()).optional(),
});

/** Why a cost rule cannot be used, for the person who wrote it. */
export class CostRuleError extends Error {}

/**
 * Checks a rule from outside.
 * @throws CostRuleError naming the field
 */
export function parseCostRule(value: unknown): CostRule {
  const found = rule.safeParse(value);
  if (!found.success) {
    const [issue] = found.error.issues;
    throw new CostRuleError(`${issue?.path.join('.') || 'cost'}: ${issue?.message ?? 'is invalid'}`);
  }
  const entries = Object.entries(found.data.cards ?? {});
  if (entries.length > maxCards) throw new CostRuleError(`cards: has more than ${maxCards} entries`);
  const cards = Object.fromEntries(entries.map(([name, card]) => [name, parseCard(name, card)]));
  return { factor: found.data.factor ?? 1, cards };
}

function parseCard(name: string, card: unknown): PriceCard {
  if (!isCardName(name)) throw new CostRuleError(`cards.${name}: must be a model name, or a prefix that ends with *`);
  try {
    return parsePriceCard(card);
  } catch (error) {
    throw error instanceof PriceCardError ? new CostRuleError(`cards.${name}.${error.message}`) : error;
  }
}

/** Whether the list price applies to all models. */
export const isListCost = ({ factor, cards }: CostRule): boolean => factor === 1 && Object.keys(cards).length === 0;
