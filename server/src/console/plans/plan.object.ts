import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { Cost } from '../../platform/graphql/access.js';
import {
  fields,
  flag,
  float,
  inputFields,
  int,
  moment,
  nullable,
  of,
  quota,
  safeInt,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, PageInterface, pageItems, sortInput } from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import type { BudgetKind } from '../../shared/budget.js';
import { pick } from '../../shared/snake-case.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import {
  newPlan,
  type Overflow,
  type PeriodUnit,
  type Plan,
  type PlanInput,
  type PlanReceipt,
  type PlanSpan,
  type PlanTerms,
  planTermNames,
  type RenewalPayer,
  type SubscriptionOrigin,
  type SubscriptionState,
} from '../../billing/plans/index.js';
import { BudgetKindEnum } from '../budgets/budget.object.js';
import type {
  SubscriptionFilter,
  SubscriptionSortField,
  SubscriptionSums,
  SubscriptionView,
} from './subscription.service.js';

const PeriodUnitEnum = enumType(
  'PlanPeriodUnit',
  { DAY: 'day', MONTH: 'month' } satisfies Record<string, PeriodUnit>,
  'The unit of the period of a plan.',
  { DAY: '24 hours.', MONTH: 'A calendar month in UTC: to the same day and second of the next month.' },
);
const OverflowEnum = enumType(
  'PlanOverflow',
  { STOP: 'stop', WALLET: 'wallet' } satisfies Record<string, Overflow>,
  'What happens with a call that a plan has no room for.',
  { STOP: 'The call is refused with 429.', WALLET: 'The balance pays for the call.' },
);
const PlanSpanEnum = enumType(
  'PlanSpan',
  { FIVE_HOURS: '5h', DAY: 'day', WEEK: 'week', MONTH: 'month', PERIOD: 'fixed' } satisfies Record<string, PlanSpan>,
  'The length of the windows of a plan. They begin at the second of its start, and end with it.',
  {
    FIVE_HOURS: 'Five hours.',
    DAY: '24 hours.',
    WEEK: 'Seven days.',
    MONTH: 'A calendar month in UTC.',
    PERIOD: 'The whole period of the plan.',
  },
);
const SubscriptionStateEnum = enumType(
  'PlanSubscriptionState',
  { ACTIVE: 'active', ENDED: 'ended', UPGRADED: 'upgraded', REFUNDED: 'refunded' } satisfies Record<
    string,
    SubscriptionState
  >,
  'Whether a subscription pays for calls.',
  {
    ACTIVE: 'It pays for calls.',
    ENDED: 'Its time is over.',
    UPGRADED: 'A subscription of another plan has replaced it.',
    REFUNDED: 'Its price, or a part of it, was returned, or the payment of its order was.',
  },
);
const SubscriptionOriginEnum = enumType(
  'PlanSubscriptionOrigin',
  {
    PURCHASE: 'purchase',
    RENEWAL: 'renewal',
    UPGRADE: 'upgrade',
    CODE: 'code',
    GRANT: 'grant',
    ORDER: 'order',
  } satisfies Record<string, SubscriptionOrigin>,
  'How an account got a subscription.',
  {
    PURCHASE: 'Bought from the balance.',
    RENEWAL: 'The previous one was renewed.',
    UPGRADE: 'It replaced one of another plan.',
    CODE: 'A redemption code.',
    GRANT: 'An admin gave it.',
    ORDER: 'Paid at a payment gateway.',
  },
);

const RenewalPayerEnum = enumType(
  'PlanRenewalPayer',
  { BALANCE: 'balance', CARD: 'card' } satisfies Record<string, RenewalPayer>,
  'Who pays the renewal of a plan.',
  { BALANCE: 'The balance.', CARD: 'The card that paid for the subscription online and was saved.' },
);

const amountText = 'Quota, model tokens or requests in each window.';

@ObjectType('PlanWindow', { description: 'What a plan grants within a window.' })
export class PlanWindowObject extends fields({
  span: of<PlanSpan>(() => PlanSpanEnum, 'How long a window is.'),
  kind: of<BudgetKind>(() => BudgetKindEnum, 'The unit of `amount`.'),
  amount: safeInt(amountText),
}) {}

const termFields = {
  name: text('Shown to users.'),
  description: text('Shown to users, may be empty.'),
  price: quota('For one period, from the balance.'),
  periodUnit: of<PeriodUnit>(() => PeriodUnitEnum, 'The unit of `periodCount`.'),
  periodCount: int('How long a period is.'),
  groups: texts('Groups that the plan opens and pays for. Empty: it pays in every group.'),
  models: texts('Names, or patterns with `*`, of the models that it pays for. Empty: all models.'),
  maxConcurrent: int.orNull('Calls at once of the account, where that is more than the limit of the site.'),
  maxRequests: int.orNull('Calls in the period of the rate limit, where that is more than the limit of the site.'),
  overflow: of<Overflow>(() => OverflowEnum, 'What happens with a call that has no room.'),
  overflowRatio: float('The part of the price that the balance pays then: 0.01 to 1.'),
  position: int('Of several plans of an account the one with the lowest number pays first.'),
  windows: of<PlanWindowObject[]>(() => [PlanWindowObject], 'A call must fit into all of them.'),
} as const;

@ObjectType('PlanTerms', { description: 'A plan as it was sold. A later change of the plan does not change it.' })
export class PlanTermsObject extends fields(termFields) {}

@ObjectType('Plan', { description: 'A plan that the site sells.' })
export class PlanObject extends fields({
  ...termFields,
  id: int('Names the plan in mutations.'),
  onSale: flag('False: users cannot buy or renew it.'),
  createdAt: moment('When the plan was created.'),
}) {}

const toTerms = (terms: PlanTerms): PlanTermsObject => ({
  ...pick(terms, planTermNames),
  groups: [...terms.groups],
  models: [...terms.models],
  windows: [...terms.windows],
});

export const toPlanObject = (plan: Plan): PlanObject => ({
  ...toTerms(plan),
  id: plan.id,
  onSale: plan.onSale,
  createdAt: plan.createdAt,
});

@ObjectType('PlanRest', {
  description: 'The share of a replaced subscription that was left: the smallest one, of its time and of its windows.',
})
export class PlanRestObject extends fields({
  paid: quota('What the balance had paid for it.'),
  left: safeInt('Seconds of its period, or the unit of `kind`.'),
  of: safeInt('The whole, in the same unit.'),
  span: nullable<PlanSpan>(() => PlanSpanEnum, 'The window that left the smallest share. Null: the time did.'),
  kind: nullable<BudgetKind>(() => BudgetKindEnum, 'The unit of the window. Null: the time left the smallest share.'),
}) {}

@ObjectType('PlanReceipt', { description: 'How the price of a subscription was computed.' })
export class PlanReceiptObject extends fields({
  price: quota('The price of the plan.'),
  credit: quota('The rest of the subscription that it replaced.'),
  formula: text('The computation of the amount. Empty without a credit.'),
  rest: nullable<PlanRestObject>(() => PlanRestObject, 'The computation of the credit. Null without one.'),
}) {}

export const toReceiptObject = ({ rest, ...receipt }: PlanReceipt): PlanReceiptObject => {
  if (!rest) return { ...receipt, rest: null };
  const { window, ...share } = rest;
  return { ...receipt, rest: { ...share, span: window?.span ?? null, kind: window?.kind ?? null } };
};

@ObjectType('PlanSubscriptionWindow', { description: 'A window of a subscription, with its use now.' })
export class SubscriptionWindowObject extends fields({
  span: of<PlanSpan>(() => PlanSpanEnum, 'How long a window is.'),
  kind: of<BudgetKind>(() => BudgetKindEnum, 'The unit of `amount`.'),
  amount: safeInt(amountText),
  used: safeInt('Settled in the open window. 0 when none is open.'),
  held: safeInt('Taken by calls that run.'),
  startsAt: moment.orNull('Start of the open window. Null when none is open.'),
  resetsAt: moment.orNull('End of the open window. Null when none is open.'),
}) {}

@ObjectType('PlanSubscription', { description: 'One period of a plan of an account.' })
export class SubscriptionObject extends fields({
  id: int('Names the subscription in mutations.'),
  accountId: int('The user who has it.'),
  username: text('Name of the user. Empty for a deleted one.'),
  planId: int('`Plan.id`.'),
  terms: of<PlanTermsObject>(() => PlanTermsObject, 'The plan as it was sold.'),
  state: of<SubscriptionState>(() => SubscriptionStateEnum, 'Whether it pays for calls.'),
  origin: of<SubscriptionOrigin>(() => SubscriptionOriginEnum, 'How the account got it.'),
  startsAt: moment('When it begins.'),
  endsAt: moment('When it ends. Excluded.'),
  stoppedAt: moment.orNull('When it stopped before its end. Null: it did not.'),
  paid: quota('What the balance paid.'),
  refunded: quota('What was returned to the balance.'),
  receipt: of<PlanReceiptObject>(() => PlanReceiptObject, 'How `paid` was computed.'),
  renews: flag('It is renewed when it ends.'),
  renewsBy: of<RenewalPayer>(() => RenewalPayerEnum, 'Who pays the renewal.'),
  savesCard: flag('Its card was saved, and can pay the renewal.'),
  renewalProblem: text(
    'Why its renewal failed: NOT_SOLD, PRICE_RAISED, INSUFFICIENT_QUOTA, USER_BANNED, or of a card CARD_DECLINED ' +
      '(it is charged again), AUTHENTICATION_REQUIRED, CARD_REMOVED or PAYMENT_FAILED. Empty: it did not.',
  ),
  used: safeInt('Quota of all calls that it has paid for.'),
  windows: of<SubscriptionWindowObject[]>(() => [SubscriptionWindowObject], 'A call must fit into all of them.'),
  note: text('Of the admin who gave or refunded it.'),
  createdAt: moment('When it was bought or given.'),
}) {}

export const toSubscriptionObject = ({
  subscription,
  username,
  windows,
  used,
  savesCard,
}: SubscriptionView): SubscriptionObject => ({
  id: subscription.id,
  accountId: subscription.accountId,
  username,
  planId: subscription.planId,
  terms: toTerms(subscription.terms),
  state: subscription.state,
  origin: subscription.origin,
  startsAt: subscription.startsAt,
  endsAt: subscription.endsAt,
  stoppedAt: subscription.stoppedAt,
  paid: subscription.paid,
  refunded: subscription.refunded,
  receipt: toReceiptObject(subscription.receipt),
  renews: subscription.renews,
  renewsBy: subscription.renewsBy,
  savesCard,
  renewalProblem: subscription.renewalProblem,
  note: subscription.note,
  createdAt: subscription.createdAt,
  used,
  windows: windows.map(({ budget, state }) => ({
    span: budget.span as PlanSpan,
    kind: budget.kind,
    amount: budget.amount,
    used: state?.used ?? 0,
    held: state?.held ?? 0,
    startsAt: state?.start ?? null,
    resetsAt: state?.end ?? null,
  })),
});

@ObjectType('PlanSubscriptionSums', { description: 'Totals of all subscriptions that match the filter.' })
export class SubscriptionSumsObject
  extends fields({
    subscriptions: safeInt('Subscriptions that match.'),
    paid: quota('What balances paid.'),
    refunded: quota('What was returned to balances.'),
    used: quota('Quota of all calls that they have paid for.'),
  })
  implements SubscriptionSums {}

@ObjectType('PlanSubscriptionPage', { implements: PageInterface, description: 'A page of subscriptions.' })
export class SubscriptionPageObject extends pageItems(SubscriptionObject) {
  @Field(() => SubscriptionSumsObject, {
    description: 'Totals of all subscriptions that match, not only of this page.',
  })
  @Cost(50)
  sums: SubscriptionSumsObject;
}

@InputType('PlanSubscriptionFilter', { description: 'Conditions on subscriptions. All must match.' })
export class SubscriptionFilterInput extends inputFields({
  accountId: int.orNull('Those of this user.'),
  planId: int.orNull('Those of this plan.'),
  state: nullable<SubscriptionState>(() => SubscriptionStateEnum, 'Those in this state.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When it was bought or given.'),
  ends: nullable<TimeRangeObject>(() => TimeRangeObject, 'When its period ends.'),
  renews: flag.orNull('Whether it is renewed when it ends.'),
  failed: flag.orNull('Whether its renewal failed: `renewalProblem` says why.'),
}) {}

const SubscriptionSort = sortInput<SubscriptionSortField>('PlanSubscription', {
  ID: ['id', 'The id, which grows with time.'],
  ENDS_AT: ['endsAt', 'When its period ends.'],
});

@ArgsType()
export class SubscriptionListArgs extends listArgs(
  SubscriptionFilterInput,
  SubscriptionSort,
  'Default: newest first.',
) {}

/** @throws InvalidInputError for an invalid range */
export const toSubscriptionFilter = (input: SubscriptionFilterInput | null | undefined): SubscriptionFilter =>
  toFilter<SubscriptionFilter>(input, ['created', 'ends']);

@InputType('PlanWindowInput', { description: 'What a plan grants within a window.' })
export class PlanWindowInput extends inputFields({
  span: of<PlanSpan>(() => PlanSpanEnum, 'How long a window is.'),
  kind: of<BudgetKind>(() => BudgetKindEnum, 'The unit of `amount`.'),
  amount: safeInt(amountText),
}) {}

const keyText = '1 to 128 characters of your choice. A retry with the same key returns the result of the first call.';

@InputType('CreatePlanInput', { description: 'A new plan.' })
export class CreatePlanInput extends inputFields({
  name: text('Shown to users. At most 100 characters.'),
  description: text.orNull('Shown to users. At most 2000 characters.'),
  price: quota('For one period, from the balance. 0: it is free.'),
  periodUnit: of<PeriodUnit>(() => PeriodUnitEnum, 'The unit of `periodCount`.'),
  periodCount: int('How long a period is: at most 3660 days or 120 months.'),
  windows: of<PlanWindowInput[]>(() => [PlanWindowInput], '1 to 10. A call must fit into all of them.'),
  groups: texts.orNull('Groups that the plan opens and pays for. Absent: it pays in every group.'),
  models: texts.orNull('Names, or patterns with `*`, of the models that it pays for. Absent: all models.'),
  maxConcurrent: int.orNull('Calls at once of the account. Absent: the limit of the site.'),
  maxRequests: int.orNull('Calls in the period of the rate limit. Absent: the limit of the site.'),
  overflow: nullable<Overflow>(() => OverflowEnum, 'What happens with a call that has no room. Absent: STOP.'),
  overflowRatio: float.orNull('The part of the price that the balance pays then: 0.01 to 1. Absent: 1.'),
  position: int.orNull('Of several plans of an account the one with the lowest number pays first. Absent: 0.'),
  onSale: flag.orNull('Whether users can buy it. Absent: true.'),
  idempotencyKey: text.orNull(keyText),
}) {}

export const toPlanInput = ({ idempotencyKey: _, ...input }: CreatePlanInput): PlanInput => ({
  ...newPlan,
  ...omitNullish<PlanInput>(input),
});

@InputType('UpdatePlanInput', {
  description: 'Absent fields stay unchanged. Subscriptions that were sold keep their terms.',
})
export class UpdatePlanInput extends inputFields({
  id: int('`Plan.id`.'),
  name: text.orNull('Shown to users. At most 100 characters.'),
  description: text.orNull('Shown to users. At most 2000 characters.'),
  price: quota.orNull('For one period, from the balance. A higher one ends renewals at the old price.'),
  periodUnit: nullable<PeriodUnit>(() => PeriodUnitEnum, 'The unit of `periodCount`.'),
  periodCount: int.orNull('How long a period is.'),
  windows: nullable<PlanWindowInput[]>(() => [PlanWindowInput], 'All windows of the plan.'),
  groups: texts.orNull('Groups that the plan opens and pays for. Empty: it pays in every group.'),
  models: texts.orNull('Names, or patterns with `*`. Empty: all models.'),
  maxConcurrent: int.orNull('Calls at once of the account. Null: the limit of the site.'),
  maxRequests: int.orNull('Calls in the period of the rate limit. Null: the limit of the site.'),
  overflow: nullable<Overflow>(() => OverflowEnum, 'What happens with a call that has no room.'),
  overflowRatio: float.orNull('The part of the price that the balance pays then: 0.01 to 1.'),
  position: int.orNull('Of several plans of an account the one with the lowest number pays first.'),
  onSale: flag.orNull('False: users cannot buy or renew it.'),
}) {}

export const toPlanPatch = ({ id: _, maxConcurrent, maxRequests, ...fields }: UpdatePlanInput): Partial<PlanInput> => ({
  ...omitNullish<Omit<PlanInput, 'maxConcurrent' | 'maxRequests'>>(fields),
  ...omitUndefined({ maxConcurrent, maxRequests }),
});

@InputType('BuyPlanInput', { description: 'A plan to buy from the balance.' })
export class BuyPlanInput extends inputFields({
  planId: int('`Plan.id`.'),
  renews: flag.orNull('True: it is renewed from the balance when it ends.'),
  idempotencyKey: text.orNull(keyText),
}) {}

@InputType('SetPlanRenewalInput', { description: 'The renewal of a plan.' })
export class SetPlanRenewalInput extends inputFields({
  id: int('`PlanSubscription.id`.'),
  renews: flag(
    'True: it is renewed when it ends. False also ends the charges of an ended one whose card was declined.',
  ),
  by: nullable<RenewalPayer>(() => RenewalPayerEnum, 'Who pays. Absent: as before. CARD needs `savesCard`.'),
}) {}

@InputType('StopPlanRenewalInput', { description: 'A subscription that is not to be renewed.' })
export class StopPlanRenewalInput extends inputFields({
  id: int('`PlanSubscription.id`.'),
}) {}

@InputType('UpgradePlanInput', { description: 'A plan that replaces a running one.' })
export class UpgradePlanInput extends inputFields({
  subscriptionId: int('`PlanSubscription.id` of the running one.'),
  planId: int('`Plan.id` of the new one. It costs at least as much.'),
  idempotencyKey: text.orNull(keyText),
}) {}

@InputType('GrantPlanInput', { description: 'A plan for an account, for one period.' })
export class GrantPlanInput extends inputFields({
  userId: int('The account.'),
  planId: int('`Plan.id`.'),
  note: text.orNull('At most 200 characters.'),
  idempotencyKey: text.orNull(keyText),
}) {}

@InputType('RefundPlanInput', { description: 'A refund to the balance.' })
export class RefundPlanInput extends inputFields({
  id: int('`PlanSubscription.id`.'),
  amount: quota.orNull('At most what was paid. Absent: all of it.'),
  note: text('The reason. At most 200 characters.'),
}) {}
