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

/** The names of dialects in new-api by kind of model. A chat model can be called in each of them. */
const endpointTypes: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: ['openai', 'anthropic', 'gemini', 'openai-response'],
  embedding: ['embeddings'],
  image: ['image-generation'],
  rerank: ['jina-rerank'],
};

/** Returns the tables that sites of new-api read from each other. */
function toRatios({ models }: PriceList): Record<string, Record<string, number>> {
  const priced = models.filter(({ effective }) => effective !== null);
  const byTokens = priced.filter(({ modelPrice }) => modelPrice === null);
  return {
    model_ratio: byModel(byTokens, ({ modelRatio }) => modelRatio),
    completion_ratio: byModel(byTokens, ({ completionRatio }) => completionRatio),
    cache_ratio: byModel(byTokens, cacheRatioOf),
    model_price: byModel(priced, ({ modelPrice }) => modelPrice),
  };
}

/** @param valueOf null leaves the model out */
const byModel = (
  models: readonly PricedModel[],
  valueOf: (model: PricedModel) => number | null,
): Record<string, number> =>
  Object.fromEntries(
    models.flatMap((model) => {
      const value = valueOf(model);
      return value === null ? [] : [[model.modelName, value]];
    }),
  );

function cacheRatioOf({ effective }: PricedModel): number | null {
  const usd = (name: string): number | undefined => effective?.lines.find(({ quantity }) => quantity === name)?.price;
  const [input, cached] = [usd('input'), usd('cachedInput')];
  return input && cached !== undefined ? Number((cached / input).toPrecision(12)) : null;
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
