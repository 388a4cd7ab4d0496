import { Field, ObjectType } from 'type-graphql';
import { GraphQLDecimal } from './scalars.js';

@ObjectType('Money', { description: 'An amount of a currency at a payment gateway.' })
export class MoneyObject {
  @Field(() => GraphQLDecimal, { description: 'In whole units of the currency, such as 12.50 for twelve and a half.' })
  amount: string;

  @Field(() => String, { description: 'ISO 4217.' })
  currency: string;
}
