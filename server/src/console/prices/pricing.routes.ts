import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../platform/http/rest.js';
import type { PriceCard } from '../../shared/price-card.js';
import type { EffectivePrice } from '../../billing/prices/index.js';
import type { PricedModel, PriceList, PricingService } from './pricing.service.js';

/** `/api/pricing`. It is public; a signed-in caller gets their own prices. */
export const pricingRoutes =
  (pricingService: PricingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.guest(async ({ actor, query }) => {
        const list = await pricingService.list(actor);
        return new RestAnswer(query['cards'] === 'true' ? withCards(toWire(list), list) : toWire(list));
      }),
    );
  };

const toModelWire = (model: PricedModel): Record<string, unknown> => ({
  model_name: model.modelName,
  quota_type: model.modelPrice === null ? 0 : 1,
  model_ratio: model.modelRatio,
  model_price: model.modelPrice ?? 0,
  owner_by: '',
  completion_ratio: model.completionRatio,
  ...(model.enableGroups.length > 0 ? { enable_groups: model.enableGroups } : {}),
});

/**
 * Returns the body of `GET /api/pricing`: the fields are beside `data`, and there is no `message`
 * (docs/reference/rest/public.md#price-list).
 */
const toWire = (list: PriceList): Record<string, unknown> => ({
  success: true,
  data: list.models.map(toModelWire),
  group_ratio: list.groupRatios,
  usable_group: list.usableGroups,
});

/**
 * Adds prices as cards besides the ratios, which cannot express everything: for another Tollgate that takes its prices
 * from here.
 */
const withCards = (wire: Record<string, unknown>, { models }: PriceList): Record<string, unknown> => ({
  ...wire,
  data: models.map((model) => ({
    ...toModelWire(model),
    ...(model.effective ? { price_card: cardOf(model.effective) } : {}),
  })),
});

const cardOf = ({ card, lines }: EffectivePrice): PriceCard =>
  card ?? { prices: Object.fromEntries(lines.map(({ quantity, price }) => [quantity, price])) };
