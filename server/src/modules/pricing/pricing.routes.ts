import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../http/rest.js';
import type { PricedModel, PriceList, PricingService } from './pricing.service.js';

/** `/api/pricing`: public; reads the session if there is one. */
export const pricingRoutes =
  (pricingService: PricingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.session(async ({ actor }) => new RestAnswer(toWire(await pricingService.list(actor)))),
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
 * `GET /api/pricing`: the fields are beside `data`, and there is no `message`
 * (docs/reference/rest/public.md#price-list).
 */
const toWire = (list: PriceList): Record<string, unknown> => ({
  success: true,
  data: list.models.map(toModelWire),
  group_ratio: list.groupRatios,
  usable_group: list.usableGroups,
});
