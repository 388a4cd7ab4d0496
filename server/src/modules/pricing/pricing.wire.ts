import type { PricedModel, PriceList } from './pricing.service.js';

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
export const toWire = (list: PriceList): Record<string, unknown> => ({
  success: true,
  data: list.models.map(toModelWire),
  group_ratio: list.groupRatios,
  usable_group: list.usableGroups,
});
