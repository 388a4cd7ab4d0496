import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../platform/graphql/access.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { MoneyObject } from '../../platform/graphql/money.object.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, PageInterface, pageItems, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLQuota, GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import { defaultOptionValues } from '../../options/option-registry.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import {
  type Checkout,
  formatMoney,
  methodOf,
  type OrderFilter,
  type OrderSortField,
  type OrderStatus,
  type OrderSums,
  otherMethod,
  paymentMethodIds,
  paymentProviders,
  paymentTestMessages,
  type PaymentTestOutcome,
  type ProviderMethod,
  type TopUpOrder,
} from '../../billing/payments/index.js';
import type { Revenue, RevenueBucket } from './wallet.service.js';

export const OrderStatusEnum = enumType(
  'OrderStatus',
  { PENDING: 'pending', PAID: 'success', EXPIRED: 'expired' },
  'State of an order.',
  {
    PENDING: 'The payment is awaited.',
    PAID: 'The gateway reported the payment, and the quota was credited.',
    EXPIRED: 'No payment within 24 hours. A later payment is still credited.',
  },
);

const methodTexts = paymentProviders
  .flatMap((provider) => provider.methods(defaultOptionValues()))
  .map(({ id, names }) => [id.toUpperCase(), `With ${names.en}.`]);

export const PaymentMethodEnum = enumType(
  'PaymentMethod',
  Object.fromEntries([...paymentMethodIds, otherMethod].map((id) => [id.toUpperCase(), id])),
  'How the buyer pays at the gateway.',
  Object.fromEntries([
    ...methodTexts,
    ['OTHER', 'Any other way, of an order that was imported from another program. No new order can have it.'],
  ]) as Record<string, string>,
);

@ObjectType('TranslatedName', { description: 'A name in one language of the console.' })
class TranslatedName {
  @Field(() => String, { description: 'Code of the language, such as `en`.' })
  language: string;

  @Field(() => String, { description: 'The name in this language.' })
  name: string;
}

@ObjectType('PaymentMethodDetails', { description: 'A way to pay for a top-up.' })
export class PaymentMethodObject {
  @Field(() => PaymentMethodEnum, { description: 'The method, for `startTopUp`.' })
  method: string;

  @Field(() => String, { description: 'The gateway.' })
  provider: string;

  @Field(() => [TranslatedName], { description: 'The name in each language of the console.' })
  names: TranslatedName[];

  @Field(() => String, { description: 'URL of an image: SVG as `data:`.' })
  icon: string;

  @Field(() => String, { description: 'ISO 4217. Orders by this method are in this currency.' })
  currency: string;

  @Field(() => Float, { description: 'Units of the currency for 1 USD of balance, before the factor of the group.' })
  pricePerUsd: number;

  @Field(() => Boolean, { description: 'Buyers can choose it: its gateway is configured.' })
  isOffered: boolean;
}

export const toPaymentMethodObject = ({ provider, method, isOffered }: ProviderMethod): PaymentMethodObject => ({
  method: method.id,
  provider: provider.name,
  names: Object.entries(method.names).map(([language, name]) => ({ language, name })),
  icon: `data:image/svg+xml,${encodeURIComponent(method.icon)}`,
  currency: method.currency,
  pricePerUsd: method.pricePerUsd,
  isOffered,
});

@ObjectType('TopUpOrder', { description: 'An order at a payment gateway.' })
export class TopUpOrderObject {
  @Field(() => Int, { description: 'Ids grow with time. The gateway knows the order by `tradeNo`.' })
  id: number;

  @Field(() => Int, { description: 'The buyer.' })
  userId: number;

  @Field(() => String, { description: 'Our number of the order at the gateway.' })
  tradeNo: string;

  @Field(() => String, { description: 'The gateway.' })
  provider: string;

  @Field(() => PaymentMethodEnum, { description: 'How the buyer pays.' })
  method: string;

  @Field(() => OrderStatusEnum, { description: 'Whether the order was paid.' })
  status: OrderStatus;

  @Field(() => MoneyObject, { description: 'Payable.' })
  money: MoneyObject;

  @Field(() => GraphQLQuota, { description: 'Quota it adds to the balance.' })
  quota: number;

  @Field(() => Float, { description: 'The quota in USD.' })
  usd: number;

  @Field(() => Date, { description: 'When the buyer placed the order.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null: not paid.' })
  paidAt: Date | null;
}

export const toOrderObject = (order: TopUpOrder, status: OrderStatus, quotaPerUnit: number): TopUpOrderObject => ({
  id: order.id,
  userId: order.userId,
  tradeNo: order.tradeNo,
  provider: order.provider,
  method: methodOf(order),
  status,
  money: toMoney(order.money, order.currency),
  quota: order.quota,
  usd: order.quota / quotaPerUnit,
  createdAt: order.createdAt,
  paidAt: order.paidAt,
});

const toMoney = (minor: number, currency: string): MoneyObject => ({ amount: formatMoney(minor, currency), currency });

@ObjectType('TopUpOrderSums', { description: 'Totals of all orders that match the filter, paid or not.' })
export class TopUpOrderSumsObject {
  @Field(() => GraphQLSafeInt, { description: 'Orders that match.' })
  orders: number;

  @Field(() => GraphQLQuota, { description: 'Quota that these orders add to balances, or would add.' })
  quota: number;

  @Field(() => Float, { description: '`quota` in USD, at today’s rate.' })
  usd: number;

  @Field(() => [MoneyObject], { description: 'Amounts to pay, one for each currency.' })
  byCurrency: MoneyObject[];
}

export const toOrderSums = ({ orders, quota, money }: OrderSums, quotaPerUnit: number): TopUpOrderSumsObject => ({
  orders,
  quota,
  usd: quota / quotaPerUnit,
  byCurrency: money.map(({ minor, currency }) => toMoney(minor, currency)),
});

@ObjectType('TopUpOrderPage', { implements: PageInterface, description: 'A page of orders.' })
export class TopUpOrderPageObject extends pageItems(TopUpOrderObject) {
  @Field(() => TopUpOrderSumsObject, { description: 'Totals of all orders that match, not only of this page.' })
  @Cost(50)
  sums: TopUpOrderSumsObject;
}

@InputType('OwnTopUpOrderFilter', {
  description: 'Conditions on orders. All must match. An empty list matches nothing.',
})
export class OwnTopUpOrderFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only these orders.' })
  ids?: number[] | null;

  @Field(() => [OrderStatusEnum], { nullable: true, description: 'Only orders with one of these statuses.' })
  statuses?: OrderStatus[] | null;

  @Field(() => [PaymentMethodEnum], { nullable: true, description: 'Only orders by these methods.' })
  methods?: string[] | null;

  @Field(() => String, { nullable: true, description: 'The whole number of the order at the gateway.' })
  tradeNo?: string | null;

  @Field(() => TimeRangeObject, { nullable: true, description: 'When the order was placed.' })
  created?: TimeRangeObject | null;

  @Field(() => TimeRangeObject, { nullable: true, description: 'When the order was paid. Unpaid orders do not match.' })
  paid?: TimeRangeObject | null;
}

@InputType('TopUpOrderFilter', { description: 'Conditions on orders. All must match. An empty list matches nothing.' })
export class TopUpOrderFilterInput extends OwnTopUpOrderFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only orders of these buyers.' })
  userIds?: number[] | null;
}

/** @throws InvalidInputError for an invalid range */
export function toOrderFilter(input: TopUpOrderFilterInput | null | undefined): OrderFilter {
  const { created, paid, ...rest } = input ?? {};
  return omitUndefined({
    ...omitNullish<Omit<OrderFilter, 'created' | 'paid'>>(rest),
    created: created ? resolveTimeRange(created, { field: 'filter.created' }) : undefined,
    paid: paid ? resolveTimeRange(paid, { field: 'filter.paid' }) : undefined,
  });
}

const sortFields: SortFields<OrderSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  CREATED_AT: ['createdAt', 'When the order was placed.'],
  PAID_AT: ['paidAt', 'When the order was paid. Unpaid orders have no such time.'],
  QUOTA: ['quota', 'Quota that the order adds to the balance.'],
  MONEY: ['money', 'The amount in the smallest unit of its currency, whatever the currency is.'],
  STATUS: ['status', 'Expired, then pending, then paid.'],
};
const TopUpOrderSort = sortInput('TopUpOrder', sortFields);

@ArgsType()
export class OwnTopUpOrderListArgs extends listArgs(
  OwnTopUpOrderFilterInput,
  TopUpOrderSort,
  'Default: newest first. Nulls come last.',
) {}

@ArgsType()
export class TopUpOrderListArgs extends listArgs(
  TopUpOrderFilterInput,
  TopUpOrderSort,
  'Default: newest first. Nulls come last.',
) {}

export const RevenueBucketEnum = enumType(
  'RevenueBucket',
  namesOf<RevenueBucket>(['DAY', 'WEEK', 'MONTH']),
  'Length of a period, which begins at midnight of the time zone.',
  {
    DAY: 'One day.',
    WEEK: 'Begins on Monday.',
    MONTH: 'One calendar month.',
  },
);

@ObjectType('Revenue', { description: 'Payments of one period, method and currency.' })
export class RevenueObject {
  @Field(() => Date, { description: 'Start of the period.' })
  time: Date;

  @Field(() => Date, { description: 'End of the period, excluded.' })
  until: Date;

  @Field(() => PaymentMethodEnum, { description: 'How the buyers paid.' })
  method: string;

  @Field(() => MoneyObject, { description: 'What was paid in the period.' })
  money: MoneyObject;

  @Field(() => GraphQLSafeInt, { description: 'Paid orders.' })
  orders: number;

  @Field(() => GraphQLQuota, { description: 'Quota added to balances.' })
  quota: number;
}

export const toRevenueObject = ({ minor, currency, ...revenue }: Revenue): RevenueObject => ({
  ...revenue,
  money: toMoney(minor, currency),
});

@InputType('StartTopUpInput', { description: 'An amount to buy.' })
export class StartTopUpInput {
  @Field(() => GraphQLSafeInt, { description: 'USD, or quota if the site shows quota.' })
  amount: number;

  @Field(() => PaymentMethodEnum, { description: 'One of the `paymentMethods` that are offered.' })
  method: string;

  @Field(() => String, {
    nullable: true,
    description: 'Any unique text. A retry with the same key returns the order of the first call.',
  })
  idempotencyKey?: string | null;
}

@ObjectType('FormField', { description: 'A hidden field of a form.' })
class FormField {
  @Field(() => String, { description: 'The name of the field.' })
  name: string;

  @Field(() => String, { description: 'The value to post.' })
  value: string;
}

@ObjectType('PaymentForm', { description: 'A form that the buyer’s browser posts to the gateway.' })
export class PaymentFormObject {
  @Field(() => String, { description: 'Without fields, the browser opens it instead.' })
  url: string;

  @Field(() => [FormField], { description: 'What the form posts. Empty: the browser opens `url`.' })
  fields: FormField[];
}

export const toPaymentForm = ({ url, fields }: Checkout): PaymentFormObject => ({
  url,
  fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
});

export interface StartedTopUp {
  order: TopUpOrderObject;
  form: PaymentFormObject;
  replayed: boolean;
}

const PaymentTestOutcomeEnum = enumType(
  'PaymentTestOutcome',
  namesOf(Object.keys(paymentTestMessages) as PaymentTestOutcome[]),
  'The result of a test of the payment settings.',
  paymentTestMessages,
);

@ObjectType('TestPaymentPayload', { description: 'What a test of the payment settings found. No money moves.' })
export class TestPaymentPayload {
  @Field(() => PaymentTestOutcomeEnum, { description: 'The result, for programs.' })
  outcome: PaymentTestOutcome;

  @Field(() => String, { description: 'The result in one sentence.' })
  message: string;

  @Field(() => String, { nullable: true, description: 'The text of the gateway’s response. Null: none came.' })
  reply: string | null;

  @Field(() => String, { description: 'Where the gateway reports payments.' })
  callbackUrl: string;
}
