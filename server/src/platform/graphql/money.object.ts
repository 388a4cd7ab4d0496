import { Field, ObjectType } from 'type-graphql';
import { GraphQLDecimal } from './scalars.js';

@ObjectType('Money', { description: 'An amount of a currency at a payment gateway.' })
export class MoneyObject {
  @Field(() => GraphQLDecimal)
  amount: string;

  @Field(() => String, { description: 'ISO 4217.' })
  currency: string;
}
