import { z } from 'zod';
import { named, parameter, text, type Wire } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { modelKind, type ModelKind } from '../../shared/model-kind.js';
import { exact, type PriceCard } from '../../shared/price-card.js';
import type { EffectivePrice } from '../../billing/prices/index.js';
import type { PricedModel, PriceList, PricingService } from './pricing.service.js';

const priced = named('PricedModel', 'A model of an enabled channel with its price.', {
  model_name: text('Name to call'),
  quota_type: z.int().describe('0: by tokens, 1: a fixed price a call'),
  model_ratio: z.number().describe('Input price; 1 is 2 USD per million tokens'),
  model_price: z.number().describe('USD a call, for `quota_type` 1'),
  owner_by: text('Always empty'),
  completion_ratio: z.number().describe('Output price as a factor of the input price'),
  supported_endpoint_types: z
    .array(z.string())
    .describe('Dialects in which it can be called, by their names in new-api'),
  enable_groups: z.array(z.string()).optional().describe('Groups in which channels serve it'),
  price_card: z.record(z.string(), z.unknown()).optional().describe('With `cards=true`: every price in USD'),
});

const table = z.record(z.string(), z.number()).describe('Numbers by model');
const ratioTables = z.object({ model_ratio: table, completion_ratio: table, cache_ratio: table, model_price: table });

/** The fields are beside `data`, and there is no `message` (docs/reference/rest/public.md#price-list). */
const priceList = z.object({
  success: z.literal(true),
  data: z.array(priced),
  group_ratio: z.record(z.string(), z.number()),
  usable_group: z.record(z.string(), z.string()),
});

/** A call is counted as 1,000 tokens, as one-hub counts it. */
const availableModel = z.object({
  groups: z.array(z.string()).describe('Groups in which channels serve it'),
  owned_by: text('Always empty'),
  price: z.object({
    model: text('Name to call'),
    type: z.enum(['tokens', 'times']).describe('`times`: a fixed price a call'),
    input: z.number().describe('Price of 1,000 tokens, or of a call, in 0.002 USD'),
    output: z.number().describe('The same for output'),
  }),
});
const userGroup = z.object({ symbol: text('Name'), name: text('Description'), ratio: z.number() });

const route = routesFor<PricingService>();

/** Prices in the forms of Veloera, new-api and one-hub. They are public; a signed-in caller gets their own prices. */
export const pricingRoutes = [
  route('GET /api/pricing', {
    summary: 'Models with their prices',
    caller: 'guest',
    query: { cards: parameter.words('Add every price of a model in USD').meta({ type: 'boolean' }) },
    response: priceList,
    example: { query: { cards: true } },
    handle: async (pricingService, { actor, query }) => {
      const list = await pricingService.list(actor);
      return query.cards === 'true' ? withCards(toWire(list), list) : toWire(list);
    },
  }),
  route('GET /api/ratio_config', {
    summary: 'Ratios and prices by model, as sites of new-api read them',
    description: 'Of models that the caller can call. `/api/pricing` has their groups too.',
    caller: 'guest',
    data: ratioTables,
    example: {},
    handle: async (pricingService, { actor }) => toRatios(await pricingService.list(actor)),
  }),
  route('GET /api/available_model', {
    summary: 'Models with their prices, as one-hub lists them',
    caller: 'guest',
    data: z.record(z.string(), availableModel).describe('By model'),
    example: {},
    handle: async (pricingService, { actor }) => {
      const { models } = await pricingService.list(actor);
      return Object.fromEntries(models.map((model) => [model.modelName, toAvailable(model)]));
    },
  }),
  route('GET /api/user_group_map', {
    summary: 'Groups the caller may use, as one-hub lists them',
    caller: 'guest',
    data: z.record(z.string(), userGroup).describe('By name'),
    example: {},
    handle: async (pricingService, { actor }) => {
      const { usableGroups, groupRatios } = await pricingService.list(actor);
      const groups = Object.entries(usableGroups).map(([symbol, name]) => {
        return [symbol, { symbol, name, ratio: groupRatios[symbol] ?? 1 }] as const;
      });
      return Object.fromEntries(groups);
    },
  }),
];

const usdOfRatio = 0.002;

/** Returns a model in the form of one-hub. */
function toAvailable({
  modelName: model,
  modelPrice,
  modelRatio,
  completionRatio,
  enableGroups,
}: PricedModel): Wire<typeof availableModel> {
  const input = modelPrice === null ? modelRatio : exact(modelPrice / usdOfRatio);
  const output = modelPrice === null ? exact(modelRatio * completionRatio) : input;
  return {
    groups: [...enableGroups],
    owned_by: '',
    price: { model, type: modelPrice === null ? 'tokens' : 'times', input, output },
  };
}

/** The names of dialects in new-api by kind of model. A chat model can be called in each of them. */
const endpointTypes: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: ['openai', 'anthropic', 'gemini', 'openai-response'],
  embedding: ['embeddings'],
  image: ['image-generation'],
  rerank: ['jina-rerank'],
};

/** Returns the tables that sites of new-api read from each other. */
function toRatios({ models }: PriceList): Wire<typeof ratioTables> {
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
  return input && cached !== undefined ? exact(cached / input) : null;
}

const toModelWire = (model: PricedModel): Wire<typeof priced> => ({
  model_name: model.modelName,
  quota_type: model.modelPrice === null ? 0 : 1,
  model_ratio: model.modelRatio,
  model_price: model.modelPrice ?? 0,
  owner_by: '',
  completion_ratio: model.completionRatio,
  supported_endpoint_types: endpointTypes[modelKind(model.modelName)] ?? ['openai'],
  ...(model.enableGroups.length > 0 ? { enable_groups: model.enableGroups } : {}),
});

const toWire = (list: PriceList): Wire<typeof priceList> => ({
  success: true,
  data: list.models.map(toModelWire),
  group_ratio: list.groupRatios,
  usable_group: list.usableGroups,
});

/**
 * Adds prices as cards besides the ratios, which cannot express everything: for another Tollgate that takes its prices
 * from here.
 */
const withCards = (wire: Wire<typeof priceList>, { models }: PriceList): Wire<typeof priceList> => ({
  ...wire,
  data: models.map((model) => ({
    ...toModelWire(model),
    ...(model.effective ? { price_card: { ...cardOf(model.effective) } } : {}),
  })),
});

const cardOf = ({ card, lines }: EffectivePrice): PriceCard =>
  card ?? { prices: Object.fromEntries(lines.map(({ quantity, price }) => [quantity, price])) };
