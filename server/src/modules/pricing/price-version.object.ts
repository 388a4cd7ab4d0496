import { Field, ObjectType } from 'type-graphql';
import { pageType } from '../../graphql/page.object.js';
import type { PriceVersion } from './price-version.entity.js';

@ObjectType('PriceVersion', { description: 'Price tables that are or were in force.' })
export class PriceVersionObject implements Omit<PriceVersion, 'tables'> {
  @Field(() => String, { description: '`price_version` in the details of a log row.' })
  version: string;

  @Field(() => Date, { description: 'When it was first in force.' })
  createdAt: Date;

  @Field(() => String, { description: 'JSON: option key to value.' })
  tables: string;
}

export const PriceVersionPage = pageType(PriceVersionObject, 'PriceVersionPage');

export const toPriceVersion = ({ version, createdAt, tables }: PriceVersion): PriceVersionObject => ({
  version,
  createdAt,
  tables: JSON.stringify(tables),
});
