import type { TFunction } from 'i18next';
import { exactDollars, integer, listText } from '../../lib/format.js';
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
  /** The saved price of the same; null or absent where it is not known. */
  readonly savedPrice?: number | null;
  /** The lowest ratio of the groups, 1 when absent, and the saved one of the same group. */
  readonly groupRatio?: number;
  readonly savedGroupRatio?: number | null;
}

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

/** The quantity that is sold below cost, with the tokens from which its price applies, and others. */
export const quantityText = ({ quantity, above }: Loss, t: TFunction, others: readonly string[] = []): string =>
  listText([
    quantityLabel(t, quantity),
    ...(above > 0 ? [t('priceCard.above', { tokens: integer(above) })] : []),
    ...others.map((other) => quantityLabel(t, other)),
  ]);

export const lossText = (loss: Loss, t: TFunction): string =>
  t('belowCost.line', {
    model: loss.modelName,
    channel: loss.channelName,
    quantity: quantityText(loss, t),
    price: exactDollars(loss.price),
    cost: exactDollars(loss.cost),
    groups: listText(loss.groups),
  });

/** The largest loss of a model over all its channels and all rules of its price. */
export interface LossOfModel {
  readonly loss: Loss;
  readonly channels: number;
  /** Other quantities that are sold below cost. */
  readonly others: readonly string[];
}

/** The price that the group with the lowest ratio pays, by the saved and by the proposed settings. Null: not known. */
export const paidOf = ({ price, groupRatio = 1, savedPrice, savedGroupRatio }: Loss) => ({
  before: savedPrice == null ? null : exact(savedPrice * (savedGroupRatio ?? groupRatio)),
  after: exact(price * groupRatio),
});
const exact = (value: number): number => Number(value.toPrecision(12));

/** Groups losses by model, with the largest loss of each, and the largest of all first. */
export function lossesByModel(losses: readonly Loss[]): readonly LossOfModel[] {
  const share = (loss: Loss): number => paidOf(loss).after / loss.cost;
  const ofModels = new Map<string, Loss[]>();
  for (const loss of [...losses].sort((one, other) => share(one) - share(other))) {
    ofModels.set(loss.modelName, [...(ofModels.get(loss.modelName) ?? []), loss]);
  }
  return [...ofModels.values()].flatMap(([loss, ...rest]) => {
    if (!loss) return [];
    const quantities = new Set(rest.map(({ quantity }) => quantity));
    quantities.delete(loss.quantity);
    const channels = new Set([loss, ...rest].map(({ channelId }) => channelId)).size;
    return [{ loss, channels, others: [...quantities] }];
  });
}
