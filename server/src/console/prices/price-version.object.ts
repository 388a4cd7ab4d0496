import { ArgsType, Field, ObjectType } from 'type-graphql';
import { fields, float, moment, of, text } from '../../platform/graphql/fields.js';
import { Cost } from '../../platform/graphql/access.js';
import { ListArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import type { SortBy } from '../../shared/page.js';
import type { PriceVersion } from './price-version.entity.js';
import type { PriceVersionSortField } from './price-version.service.js';

@ObjectType('ModelPrices', {
  description: 'The stored prices of one model. A factor is null where the built-in value or rule applies.',
})
export class ModelPricesObject extends fields({
  modelName: text('As clients request it.'),
  modelPrice: float.orNull('USD per call. It replaces the price by tokens.'),
  modelRatio: float.orNull('1 means 2 USD per million prompt tokens.'),
  completionRatio: float.orNull('Price of a completion token in prompt tokens.'),
  cacheRatio: float.orNull('Price of a cached prompt token in prompt tokens.'),
}) {}

@ObjectType('GroupPrice', { description: 'The stored price factor of one group.' })
export class GroupPriceObject extends fields({
  group: text('The group whose calls the ratio applies to.'),
  ratio: float('Ratio applied to every price.'),
}) {}

@ObjectType('PriceVersion', { description: 'Current and former price tables.' })
export class PriceVersionObject extends fields({
  version: text('`LogPrice.version` of the calls that these tables priced.'),
  createdAt: moment('Time of first use.'),
  quotaPerUnit: float('Quota of 1 USD.'),
  groups: of<GroupPriceObject[]>(() => [GroupPriceObject], 'All groups with a ratio.'),
}) {
  @Cost(50)
  @Field(() => [ModelPricesObject], { description: 'All models with a price of their own, by name.' })
  models: ModelPricesObject[];
}

export const PriceVersionPage = pageObject(PriceVersionObject, 'PriceVersionPage', 'A page of price tables.');

const sortFields: SortFields<PriceVersionSortField> = { CREATED_AT: ['createdAt', 'Time of first use.'] };
const PriceVersionSort = sortInput('PriceVersion', sortFields);

@ArgsType()
export class PriceVersionListArgs extends ListArgs {
  @Field(() => [PriceVersionSort], { nullable: true, description: 'Default: newest first.' })
  sort?: Array<SortBy<PriceVersionSortField>> | null;
}

type Table = Readonly<Record<string, number>>;

export function toPriceVersion({ version, createdAt, tables }: PriceVersion): PriceVersionObject {
  const { ModelPrice, ModelRatio, CompletionRatio, CacheRatio, GroupRatio, QuotaPerUnit } = tables;
  const names = new Set([ModelPrice, ModelRatio, CompletionRatio, CacheRatio].flatMap(Object.keys));
  const factor = (table: Table, name: string): number | null =>
    Object.hasOwn(table, name) ? (table[name] ?? null) : null;
  return {
    version,
    createdAt,
    quotaPerUnit: QuotaPerUnit,
    groups: Object.entries(GroupRatio).map(([group, ratio]) => ({ group, ratio })),
    models: [...names].sort().map((modelName) => ({
      modelName,
      modelPrice: factor(ModelPrice, modelName),
      modelRatio: factor(ModelRatio, modelName),
      completionRatio: factor(CompletionRatio, modelName),
      cacheRatio: factor(CacheRatio, modelName),
    })),
  };
}
