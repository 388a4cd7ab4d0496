import type { OptionValues } from '../modules/options/option.service.js';
import type { PriceBook } from '../modules/pricing/price-book.service.js';
import type { Caller } from './access/authentication.js';
import type { OfferedModel } from './protocols/openai/model-list.js';
import { providerOf } from './providers/providers.js';
import type { RoutingTable } from './routing/routing-table.js';

/**
 * The models a key can call (docs/reference/relay/routes.md#model-lists): exactly its model limits if it has any, else
 * the models that its group's enabled channels offer and that have a price.
 */
export function offeredModels(
  caller: Caller,
  group: string,
  table: RoutingTable,
  prices: PriceBook,
  values: OptionValues,
): OfferedModel[] {
  const { token, user } = caller;
  if (token.modelLimitsEnabled) {
    return [...token.modelLimits].sort(byText).map((id) => {
      const found = table.find(group, id);
      const type = found?.tiers[0]?.channels[0]?.type;
      return { id, root: found?.bareModel ?? id, ownedBy: ownerOf(id, type) };
    });
  }
  const showsUnpriced = values.SelfUseModeEnabled || user.acceptsUnpriced;
  return table
    .models(group)
    .filter(({ bareModel }) => showsUnpriced || prices.isPriced(bareModel))
    .map(({ id, bareModel, channelType }) => ({ id, root: bareModel, ownedBy: ownerOf(bareModel, channelType) }));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const ownerOf = (model: string, channelType: number | undefined): string => {
  if (model.startsWith('mj_')) return 'midjourney';
  return channelType === undefined ? 'custom' : providerOf(channelType).name;
};
