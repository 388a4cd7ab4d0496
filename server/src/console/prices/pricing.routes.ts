import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../platform/http/rest.js';
import { modelKind, type ModelKind } from '../../shared/model-kind.js';
import type { PriceCard } from '../../shared/price-card.js';
import type { EffectivePrice } from '../../billing/prices/index.js';
import type { PricedModel, PriceList, PricingService } from './pricing.service.js';

/** `/api/pricing` and `/api/ratio_config`. They are public; a signed-in caller gets their own prices. */
export const pricingRoutes =
  (pricingService: PricingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/ratio_config',
      rest.guest(async ({ actor }) => toRatios(await pricingService.list(actor))),
    );
    app.get(
      '/pricing',
      rest.guest(async ({ actor, query }) => {
        const list = await pricingService.list(actor);
        return new RestAnswer(query['cards'] === 'true' ? withCards(toWire(list), list) : toWire(list));
      }),
    );
  };

/** By the names that new-api has for dialects: a chat model can be called in each of them. */
const endpointTypes: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: ['openai', 'anthropic', 'gemini', 'openai-response'],
  embedding: ['embeddings'],
  image: ['image-generation'],
  rerank: ['jina-rerank'],
};

/** The tables that sites of new-api read from each other. */
function toRatios({ models }: PriceList): Record<string, Record<string, number>> {
  const tables: Record<string, Record<string, number>> = {
    model_ratio: {},
    completion_ratio: {},
    cache_ratio: {},
    model_price: {},
  };
  const put = (table: string, model: string, value: number): void => {
    Object.assign(tables[table] ?? {}, { [model]: value });
  };
  for (const { modelName, modelPrice, modelRatio, completionRatio, effective } of models) {
    if (effective === null) continue;
    if (modelPrice !== null) {
      put('model_price', modelName, modelPrice);
      continue;
    }
    put('model_ratio', modelName, modelRatio);
    put('completion_ratio', modelName, completionRatio);
    const usd = (name: string): number | undefined => effective.lines.find(({ quantity }) => quantity === name)?.price;
    const [input, cached] = [usd('input'), usd('cachedInput')];
    if (input && cached !== undefined) put('cache_ratio', modelName, Number((cached / input).toPrecision(12)));
  }
  return tables;
}

const toModelWire = (model: PricedModel): Record<string, unknown> => ({
  model_name: model.modelName,
  quota_type: model.modelPrice === null ? 0 : 1,
  model_ratio: model.modelRatio,
  model_price: model.modelPrice ?? 0,
  owner_by: '',
  completion_ratio: model.completionRatio,
  supported_endpoint_types: endpointTypes[modelKind(model.modelName)] ?? ['openai'],
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
