import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import {
  GraphQLDateTime as UndescribedDateTime,
  GraphQLJSON,
  GraphQLSafeInt,
  GraphQLTimeZone as UndescribedTimeZone,
} from 'graphql-scalars';
import { isQuota, maxQuota } from '../../shared/quota.js';

export { GraphQLJSON, GraphQLSafeInt };

export const GraphQLDateTime = new GraphQLScalarType({
  ...UndescribedDateTime.toConfig(),
  description:
    'A moment in ISO 8601 with a zone, such as `2026-11-01T00:00:00+08:00`. A date alone is refused. Responses are in UTC, such as `2026-10-31T16:00:00.000Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
});

export const GraphQLTimeZone = new GraphQLScalarType({
  ...UndescribedTimeZone.toConfig(),
  description: 'IANA name of a time zone, such as `Asia/Shanghai` or `UTC`.',
  specifiedByURL: 'https://www.iana.org/time-zones',
});

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
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
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
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: toDecimal,
  parseValue: toDecimal,
  parseLiteral: (node: ValueNode) => toDecimal(node.kind === Kind.STRING ? node.value : undefined),
});
