import type { TFunction } from 'i18next';
import { integer, ratio } from '../../lib/format.js';
import { quantityLabel } from './quantityTexts.js';

/** A model that a channel serves for less than it costs. */
export interface Loss {
  /** The id of the channel; null when it is not saved. */
  readonly channelId?: number | null;
  readonly channelName: string;
  readonly modelName: string;
  readonly groups: readonly string[];
  readonly quantity: string;
  /** Prompt tokens above which the model is sold below cost. 0: at every call. */
  readonly above: number;
  /** USD, before the group ratio. */
  readonly price: number;
  readonly cost: number;
}

const shown = 3;

/** Returns the losses of a proposal that the saved state does not have, that are larger, or that affect more groups. */
export function newLosses<L extends Loss>(saved: readonly Loss[], proposed: readonly L[]): readonly L[] {
  const before = new Map(saved.map((loss) => [keyOf(loss), loss]));
  return proposed.filter((loss) => {
    const known = before.get(keyOf(loss));
    if (!known) return true;
    const isLarger = loss.price / loss.cost < (known.price / known.cost) * (1 - 1e-9);
    return isLarger || loss.groups.some((group) => !known.groups.includes(group));
  });
}

const keyOf = ({ channelId, modelName }: Loss): string => `${channelId ?? ''} ${modelName}`;

export const lossText = (loss: Loss, t: TFunction): string =>
  t('belowCost.line', {
    model: loss.modelName,
    channel: loss.channelName,
    quantity:
      quantityLabel(t, loss.quantity) +
      (loss.above > 0 ? `, ${t('priceCard.above', { tokens: integer(loss.above) })}` : ''),
    price: `$${ratio(loss.price)}`,
    cost: `$${ratio(loss.cost)}`,
    groups: loss.groups.join(', '),
  });

/** The question before losses are saved, for the confirmation dialog. */
export function questionOf(losses: readonly Loss[], t: TFunction) {
  const lines = losses.slice(0, shown).map((loss) => lossText(loss, t));
  const rest = losses.length - lines.length;
  if (rest > 0) lines.push(t('belowCost.more', { n: rest }));
  return {
    title: t('belowCost.title'),
    body: t('belowCost.body', { count: losses.length, lines: lines.join('; ') }),
    verb: t('belowCost.save'),
    destructive: true,
  };
}
