import { ObjectType } from 'type-graphql';
import { fields, of, text } from './fields.js';
import { GraphQLDecimal } from './scalars.js';

@ObjectType('Money', { description: 'An amount of a currency at a payment gateway.' })
export class MoneyObject extends fields({
  amount: of<string>(() => GraphQLDecimal, 'In whole units of the currency, such as 12.50 for twelve and a half.'),
  currency: text('ISO 4217.'),
}) {}
