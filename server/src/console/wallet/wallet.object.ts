import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import {
  fields,
  flag,
  float,
  inputFields,
  int,
  ints,
  moment,
  nullable,
  of,
  quota,
  safeInt,
  text,
} from '../../platform/graphql/fields.js';
import { Cost, NotInPanels } from '../../platform/graphql/access.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { MoneyObject } from '../../platform/graphql/money.object.js';
import { listArgs, PageInterface, pageItems, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import { defaultOptionValues } from '../../options/option-registry.js';
import { pick } from '../../shared/snake-case.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import {
  type Checkout,
  formatMoney,
  methodOf,
  orderEventKinds,
  type OrderEvent,
  type OrderEventKind,
  type OrderFilter,
  type TopUpReversal,
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
class TranslatedName extends fields({
  language: text('Code of the language, such as `en`.'),
  name: text('The name in this language.'),
}) {}

@ObjectType('PaymentMethodDetails', { description: 'A way to pay for a top-up.' })
export class PaymentMethodObject extends fields({
  method: of<string>(() => PaymentMethodEnum, 'The method, for `startTopUp`.'),
  provider: text('The gateway.'),
  names: of<TranslatedName[]>(() => [TranslatedName], 'The name in each language of the console.'),
  icon: text('URL of an image: SVG as `data:`.'),
  currency: text('ISO 4217. Orders by this method are in this currency.'),
  pricePerUsd: float('Units of the currency for 1 USD of balance, before the factor of the group.'),
  isOffered: flag('Buyers can choose it: its gateway is configured.'),
  minTopUp: float('Smallest top-up by this method in USD.'),
  savesCards: flag('A plan that is paid by this method can be renewed by the same card.'),
}) {}

export const toPaymentMethodObject = (
  { provider, method, isOffered }: ProviderMethod,
  minTopUp: number,
): PaymentMethodObject => ({
  method: method.id,
  provider: provider.name,
  names: Object.entries(method.names).map(([language, name]) => ({ language, name })),
  icon: `data:image/svg+xml,${encodeURIComponent(method.icon)}`,
  currency: method.currency,
  pricePerUsd: method.pricePerUsd,
  isOffered,
  minTopUp: Math.max(minTopUp, method.minTopUp ?? 0),
  savesCards: provider.cards !== undefined,
});

@ObjectType('TopUpOrder', { description: 'An order at a payment gateway.' })
export class TopUpOrderObject extends fields({
  id: int('Ids grow with time. The gateway knows the order by `tradeNo`.'),
  userId: int('The buyer.'),
  tradeNo: text('Our number of the order at the gateway.'),
  provider: text('The gateway.'),
  method: of<string>(() => PaymentMethodEnum, 'How the buyer pays.'),
  status: of<OrderStatus>(() => OrderStatusEnum, 'Whether the order was paid.'),
  money: of<MoneyObject>(() => MoneyObject, 'Payable.'),
  refunded: of<MoneyObject>(() => MoneyObject, 'The part that was refunded or is disputed.'),
  quota: quota('Quota it adds to the balance.'),
  usd: float('The quota in USD.'),
  topUpCode: text('What the buyer typed as a code. Empty: nothing.'),
  createdAt: moment('When the buyer placed the order.'),
  paidAt: moment.orNull('Null: not paid.'),
}) {}

export const toOrderObject = (order: TopUpOrder, status: OrderStatus, quotaPerUnit: number): TopUpOrderObject => ({
  id: order.id,
  userId: order.userId,
  tradeNo: order.tradeNo,
  provider: order.provider,
  method: methodOf(order),
  status,
  money: toMoney(order.money, order.currency),
  refunded: toMoney(order.refunded, order.currency),
  quota: order.quota,
  usd: order.quota / quotaPerUnit,
  topUpCode: order.topUpCode,
  createdAt: order.createdAt,
  paidAt: order.paidAt,
});

const OrderEventEnum = enumType(
  'TopUpEventKind',
  namesOf(orderEventKinds.map((kind) => kind.toUpperCase() as Uppercase<OrderEventKind>)),
  'What happened to an order.',
  {
    CREDITED: 'The gateway reported the payment, and the quota was credited.',
    REPEATED: 'The gateway reported a payment of an order that was credited before. Nothing was credited.',
    PAID_AGAIN: 'The gateway reported a second payment of the order, to be refunded. Nothing was credited.',
    REFUSED: 'The gateway reported a payment that does not match the order.',
    MARKED_PAID: 'An admin marked the order as paid, and the quota was credited.',
    FAILED: 'The payment failed, or its page expired. Nothing was credited.',
    REFUNDED: 'Money was refunded, by an admin or at the gateway, and its quota was taken back.',
    REFUND_FAILED: 'A refund failed, and its quota was returned.',
    DISPUTED: 'The buyer disputes the payment at their bank, and its quota was taken back.',
    DISPUTE_WON: 'The dispute was won, and its quota was returned.',
    DISPUTE_LOST: 'The dispute was lost.',
  },
);

@ObjectType('TopUpEvent', { description: 'An entry in the history of an order.' })
export class TopUpEventObject extends fields({
  at: moment('When it happened.'),
  kind: of<Uppercase<OrderEventKind>>(() => OrderEventEnum, 'What happened.'),
  detail: text('The amount of a refund or dispute, the reason of a refusal, or the note of the admin.'),
  payment: text.orNull('The gateway’s number of the payment, the refund or the dispute.'),
  actorName: text.orNull('The name of the admin who did it. Null: the gateway.'),
}) {}

export const toOrderEventObject = ({ kind, ...event }: OrderEvent): TopUpEventObject => ({
  ...pick(event, ['at', 'detail', 'payment', 'actorName']),
  kind: kind.toUpperCase() as Uppercase<OrderEventKind>,
});

type ReversalKind = Uppercase<TopUpReversal['kind']>;
type ReversalState = Uppercase<TopUpReversal['state']>;

const ReversalKindEnum = enumType(
  'TopUpReversalKind',
  namesOf(['REFUND', 'DISPUTE']),
  'Why money of an order goes back.',
  { REFUND: 'It is paid back, by an admin or at the gateway.', DISPUTE: 'The bank of the buyer takes it back.' },
);

const ReversalStateEnum = enumType(
  'TopUpReversalState',
  namesOf(['PENDING', 'DONE', 'UNDONE']),
  'The outcome of a refund or a dispute.',
  {
    PENDING: 'The gateway has not confirmed the refund, or the dispute is not decided.',
    DONE: 'The money went back.',
    UNDONE: 'The refund was refused or failed, or the dispute was won, and the quota was returned.',
  },
);

@ObjectType('TopUpReversal', { description: 'A refund or a dispute of an order.' })
export class TopUpReversalObject extends fields({
  id: int('Ids grow with time.'),
  kind: of<ReversalKind>(() => ReversalKindEnum, 'A refund or a dispute.'),
  state: of<ReversalState>(() => ReversalStateEnum, 'The outcome.'),
  money: of<MoneyObject>(() => MoneyObject, 'The amount.'),
  quotaTaken: quota('Quota that was taken from the balance of the buyer, and is returned if it is undone.'),
  createdAt: moment('When it was ordered or reported.'),
  payment: text.orNull('The gateway’s number of it. Null: none, or not known yet.'),
  actorName: text.orNull('The admin who ordered the refund. Null: it was made at the gateway, or by the bank.'),
}) {
  @NotInPanels()
  @Field(() => String, { description: 'The note of the admin.' })
  note: string;
}

export const toReversalObject = (reversal: TopUpReversal): TopUpReversalObject => ({
  ...pick(reversal, ['id', 'createdAt', 'note']),
  kind: reversal.kind.toUpperCase() as ReversalKind,
  state: reversal.state.toUpperCase() as ReversalState,
  money: toMoney(reversal.money, reversal.order.currency),
  quotaTaken: reversal.taken,
  payment: reversal.providerId,
  actorName: reversal.actor?.username ?? null,
});

const toMoney = (minor: number, currency: string): MoneyObject => ({ amount: formatMoney(minor, currency), currency });

@ObjectType('TopUpOrderSums', { description: 'Totals of all orders that match the filter, paid or not.' })
export class TopUpOrderSumsObject extends fields({
  orders: safeInt('Orders that match.'),
  quota: quota('Quota that these orders add to balances, or would add.'),
  usd: float('`quota` in USD, at today’s rate.'),
  byCurrency: of<MoneyObject[]>(() => [MoneyObject], 'Amounts to pay, one for each currency.'),
  keptByCurrency: of<MoneyObject[]>(
    () => [MoneyObject],
    '`byCurrency` less what was refunded or is disputed, now: of paid orders, what the operator keeps.',
  ),
}) {}

export const toOrderSums = ({ orders, quota, money }: OrderSums, quotaPerUnit: number): TopUpOrderSumsObject => ({
  orders,
  quota,
  usd: quota / quotaPerUnit,
  byCurrency: money.map(({ minor, currency }) => toMoney(minor, currency)),
  keptByCurrency: money.map(({ minor, refunded, currency }) => toMoney(minor - refunded, currency)),
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
export class OwnTopUpOrderFilterInput extends inputFields({
  ids: ints.orNull('Only these orders.'),
  statuses: nullable<OrderStatus[]>(() => [OrderStatusEnum], 'Only orders with one of these statuses.'),
  methods: nullable<string[]>(() => [PaymentMethodEnum], 'Only orders by these methods.'),
  tradeNo: text.orNull('The whole number of the order at the gateway.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the order was placed.'),
  paid: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the order was paid. Unpaid orders do not match.'),
}) {}

@InputType('TopUpReversalFilter', {
  description: 'Conditions on a refund or a dispute. All must match. An empty list matches nothing.',
})
export class TopUpReversalFilterInput extends inputFields({
  at: nullable<TimeRangeObject>(() => TimeRangeObject, 'When it was ordered or reported.'),
  kinds: nullable<ReversalKind[]>(() => [ReversalKindEnum], 'Only of these kinds.'),
  states: nullable<ReversalState[]>(() => [ReversalStateEnum], 'Only in one of these states.'),
}) {}

@InputType('TopUpOrderFilter', { description: 'Conditions on orders. All must match. An empty list matches nothing.' })
export class TopUpOrderFilterInput extends OwnTopUpOrderFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only orders of these buyers.' })
  userIds?: number[] | null;

  @Field(() => TopUpReversalFilterInput, {
    nullable: true,
    description: 'Only orders with such a refund or dispute; `{}`: with any.',
  })
  reversed?: TopUpReversalFilterInput | null;
}

/** @throws InvalidInputError for an invalid range */
export function toOrderFilter(input: TopUpOrderFilterInput | null | undefined): OrderFilter {
  const { reversed, ...rest } = input ?? {};
  const filter = toFilter<Omit<OrderFilter, 'reversed'>>(rest, ['created', 'paid']);
  return reversed ? { ...filter, reversed: toReversed(reversed) } : filter;
}

const toReversed = ({ at, kinds, states }: TopUpReversalFilterInput): NonNullable<OrderFilter['reversed']> => ({
  at: at ? resolveTimeRange(at, { field: 'filter.reversed.at' }) : undefined,
  kinds: kinds?.map((kind) => kind.toLowerCase() as Lowercase<ReversalKind>),
  states: states?.map((state) => state.toLowerCase() as Lowercase<ReversalState>),
});

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

@ObjectType('Revenue', { description: 'Payments and refunds of one period, method and currency.' })
export class RevenueObject extends fields({
  time: moment('Start of the period.'),
  until: moment('End of the period, excluded.'),
  method: of<string>(() => PaymentMethodEnum, 'How the buyers paid.'),
  money: of<MoneyObject>(() => MoneyObject, 'What is left of it: `paid` less `refunded`.'),
  paid: of<MoneyObject>(() => MoneyObject, 'What was paid in the period.'),
  refunded: of<MoneyObject>(
    () => MoneyObject,
    'What went back in the period, whenever it was paid: refunds and disputes, but those that failed or were won.',
  ),
  orders: safeInt('Paid orders.'),
  quota: quota('Quota added to balances, less what refunds and disputes took back.'),
}) {}

export const toRevenueObject = ({ paid, refunded, currency, ...revenue }: Revenue): RevenueObject => ({
  ...revenue,
  money: toMoney(paid - refunded, currency),
  paid: toMoney(paid, currency),
  refunded: toMoney(refunded, currency),
});

@InputType('StartTopUpInput', { description: 'An amount to buy.' })
export class StartTopUpInput extends inputFields({
  amount: safeInt('USD, or quota if the site shows quota.'),
  method: of<string>(() => PaymentMethodEnum, 'One of the `paymentMethods` that are offered.'),
  topUpCode: text.orNull(
    'Stored with the order, for the operator; at most 64 characters. It does not change the price.',
  ),
  idempotencyKey: text.orNull('Any unique text. A retry with the same key returns the order of the first call.'),
}) {}

@InputType('StartPlanPaymentInput', { description: 'A plan to pay online.' })
export class StartPlanPaymentInput extends inputFields({
  planId: int('`Plan.id`.'),
  method: of<string>(() => PaymentMethodEnum, 'One of the `paymentMethods` that are offered.'),
  renews: flag.orNull('True: the card is saved, and pays the renewals. The method must have `savesCards`.'),
  idempotencyKey: text.orNull('Any unique text. A retry with the same key returns the order of the first call.'),
}) {}

@InputType('MarkTopUpPaidInput', { description: 'An order whose payment arrived.' })
export class MarkTopUpPaidInput extends inputFields({
  id: int('`TopUpOrder.id`.'),
  note: text('How you know of the payment; 1 to 200 characters.'),
}) {}

@InputType('RefundTopUpInput', { description: 'A refund of an order that was paid at its gateway.' })
export class RefundTopUpInput extends inputFields({
  id: int('`TopUpOrder.id`.'),
  amount: text.orNull('In the currency of the order, such as `7.30`. Null: all that is not refunded yet.'),
  note: text('Why the money goes back; 1 to 200 characters.'),
  belowZero: flag.orNull(
    'The refund is made even if the quota was spent: the balance of the buyer or of their inviter may fall below zero.',
  ),
  idempotencyKey: text.orNull('Any unique text. A retry with the same key makes no second refund.'),
}) {}

@InputType('SettleTopUpRefundInput', { description: 'A refund that the gateway did not confirm.' })
export class SettleTopUpRefundInput extends inputFields({
  id: int('`TopUpOrder.id`.'),
  amount: text.orNull('The amount of the refund. Null: all open refunds of the order have the same.'),
  isMade: flag('True: the money went back. False: it did not, and the quota is returned.'),
  note: text('How you know of it; 1 to 200 characters.'),
}) {}

@ObjectType('FormField', { description: 'A hidden field of a form.' })
class FormField extends fields({
  name: text('The name of the field.'),
  value: text('The value to post.'),
}) {}

@ObjectType('PaymentForm', { description: 'A form that the buyer’s browser posts to the gateway.' })
export class PaymentFormObject extends fields({
  url: text('Without fields, the browser opens it instead.'),
  fields: of<FormField[]>(() => [FormField], 'What the form posts. Empty: the browser opens `url`.'),
}) {}

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
export class TestPaymentPayload extends fields({
  outcome: of<PaymentTestOutcome>(() => PaymentTestOutcomeEnum, 'The result, for programs.'),
  message: text('The result in one sentence.'),
  reply: text.orNull('The text of the gateway’s response. Null: none came.'),
  callbackUrl: text('Where the gateway reports payments.'),
}) {}
