import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLDateTime, GraphQLJSON, GraphQLSafeInt, GraphQLTimeZone } from 'graphql-scalars';
import { isQuota, maxQuota } from '../../shared/quota.js';

export { GraphQLDateTime, GraphQLJSON, GraphQLSafeInt, GraphQLTimeZone };

function toQuota(value: unknown): number {
  if (typeof value !== 'number' || !isQuota(value)) {
    throw new GraphQLError(`Quota must be an integer within ${maxQuota}`);
  }
  return value;
}

/** Converts a total, which may be larger than any balance. */
function toWhole(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new GraphQLError('Quota must be an integer');
  return value;
}

export const GraphQLQuota = new GraphQLScalarType({
  name: 'Quota',
  description: `A whole amount of quota: a JSON number. Exact up to ${maxQuota} in size, the maximum of an input; larger totals are rounded to what a JSON number holds. \`Status.quotaPerUnit\` of it are 1 USD.`,
  serialize: toWhole,
  parseValue: toQuota,
  parseLiteral: (node) => toQuota(node.kind === Kind.INT ? Number(node.value) : undefined),
});

const decimal = /^-?\d{1,30}(\.\d{1,18})?$/;

function toDecimal(value: unknown): string {
  if (typeof value !== 'string' || !decimal.test(value)) {
    throw new GraphQLError('Decimal must be a decimal number as text');
  }
  return value;
}

export const GraphQLDecimal = new GraphQLScalarType({
  name: 'Decimal',
  description: 'An exact decimal number as text, such as "12.50", for amounts of payment gateways.',
  serialize: toDecimal,
  parseValue: toDecimal,
  parseLiteral: (node: ValueNode) => toDecimal(node.kind === Kind.STRING ? node.value : undefined),
});
