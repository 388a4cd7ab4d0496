import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import {
  fields,
  flag,
  float,
  inputFields,
  int,
  moment,
  of,
  quota,
  safeInt,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import type { StatementContent, StatementDocument, UsageDimension } from '../../billing/statements/index.js';
import type { StatementFilter, StatementSortField } from './statement.service.js';

export const StatementDimensionEnum = enumType(
  'StatementDimension',
  { KEY: 'key', MODEL: 'model', MEMBER: 'member', PROJECT: 'project' } satisfies Record<string, UsageDimension>,
  'By what the usage of a statement is grouped.',
  {
    KEY: 'By API key.',
    MODEL: 'By the requested model.',
    MEMBER: 'By the member of the organisation whose key it is.',
    PROJECT: 'By the project of the key.',
  },
);

@ObjectType('StatementSeller', { description: 'The site, as its statements name it.' })
class StatementSellerObject extends fields({
  name: text('The name of the company, or of the site.'),
  address: text('Several lines. Empty: none was set.'),
  taxNumber: text('The tax number. Empty: none was set.'),
  note: text('A text below the statement. Empty: none was set.'),
}) {}

@ObjectType('StatementBuyer', { description: 'The account, as its statements name it.' })
class StatementBuyerObject extends fields({
  username: text('The name of the account.'),
  name: text('The billing name. Empty: none was set.'),
  address: text('Several lines. Empty: none was set.'),
  taxNumber: text('The tax number. Empty: none was set.'),
}) {}

@ObjectType('StatementCredit', { description: 'The sum of one kind of movements that are no calls.' })
class StatementCreditObject extends fields({
  kind: text(
    'Such as `top_up`, `payment_refund` (money that went back, or is disputed), `redemption`, `admin_grant`, `task_refund` (charges of failed tasks), `plan` (prices of plans and their refunds) or `paid_by_plan` (the part of `usage` that plans paid).',
  ),
  count: safeInt('Number of movements. Of `paid_by_plan`: calls less the failed tasks that plans got back.'),
  amount: quota('Their sum. Negative: it was taken from the balance.'),
}) {}

@ObjectType('StatementPayment', { description: 'A payment, or a refund of one.' })
class StatementPaymentObject extends fields({
  kind: text('`top_up` or `payment_refund`.'),
  at: moment('When it changed the balance. Before the month: it was recorded after that month was closed.'),
  amount: quota('What it added to the balance.'),
  reference: text('The number of the order.'),
}) {}

@ObjectType('StatementUsage', { description: 'Calls of one group of a statement.' })
export class StatementUsageObject extends fields({
  tokenId: int.orNull('The API key; 0: without one, as in the playground. Null: not grouped by key.'),
  tokenName: text.orNull('The name of the key when the statement was closed. Empty: it was deleted before.'),
  modelName: text.orNull('The requested model. Null: not grouped by model.'),
  memberId: int.orNull('The membership; 0: a key of no member. Null: not grouped by member.'),
  memberName: text.orNull('The name of the member when the statement was closed. Empty: none.'),
  projectId: int.orNull('The project; 0: a key of no project. Null: not grouped by project.'),
  projectName: text.orNull('The name of the project when the statement was closed. Empty: none.'),
  calls: safeInt('Number of calls.'),
  promptTokens: safeInt('Tokens of prompts.'),
  completionTokens: safeInt('Tokens of output.'),
  quota: quota('What was charged.'),
}) {
  /** The owner of the key. The schema does not show it. */
  ownerId: number;
}

@ObjectType('Statement', { description: 'What changed the balance of an account in a month.' })
export class StatementObject extends fields({
  id: int.orNull('Null: a preview.'),
  number: text.orNull('The number on the document, without gaps in a year: `2026-000042`. Null: a preview.'),
  accountId: int('The account.'),
  month: text('Such as `2026-11`.'),
  startsAt: moment('Start of the month.'),
  endsAt: moment('End of the month, excluded.'),
  timeZone: text('The time zone of both.'),
  closedAt: moment.orNull('When it was closed. Null: a preview of a month that still runs.'),
  opening: quota('The closing balance of the statement before, or all that was before the first one.'),
  credits: quota('Sum of `movements`.'),
  usage: quota('Sum of `usageBy`.'),
  closing: quota('`opening` + `credits` - `usage`.'),
  reserved: quota('What the balance holds for calls in flight, in a preview: the balance is `closing` minus this.'),
  quotaPerUsd: float('Quota of one USD when the statement was closed.'),
  seller: of<StatementSellerObject>(() => StatementSellerObject, 'The site.'),
  buyer: of<StatementBuyerObject>(() => StatementBuyerObject, 'The account.'),
  movements: of<StatementCreditObject[]>(() => [StatementCreditObject], 'What changed the balance beside calls.'),
  payments: of<StatementPaymentObject[]>(
    () => [StatementPaymentObject],
    'Each payment and each refund of one. Also part of `movements`.',
  ),
}) {
  /** The lines of usage, which `usageBy` groups. The schema does not show them. */
  lines: StatementContent['usage'];
}

export const toStatementObject = ({ content, ...statement }: StatementDocument): StatementObject => ({
  ...statement,
  startsAt: new Date(content.startsAt),
  endsAt: new Date(content.endsAt),
  timeZone: content.timeZone,
  quotaPerUsd: content.quotaPerUnit,
  seller: content.seller,
  buyer: content.buyer,
  movements: content.credits,
  payments: content.payments.map((payment) => ({ ...payment, at: new Date(payment.at) })),
  lines: content.usage,
});

export const StatementPage = pageObject(StatementObject, 'StatementPage', 'A page of statements.');

@InputType('OwnStatementFilter', { description: 'Conditions on statements. All must match.' })
export class OwnStatementFilterInput extends inputFields({
  months: texts.orNull('Only of these months, such as `2026-11`.'),
}) {}

@InputType('StatementFilter', { description: 'Conditions on statements. All must match.' })
export class StatementFilterInput extends OwnStatementFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only of these accounts.' })
  accountIds?: number[] | null;
}

export const toStatementFilter = (input: StatementFilterInput | null | undefined): StatementFilter =>
  omitNullish<StatementFilter>(input ?? {});

const sortFields: SortFields<StatementSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  MONTH: ['month', 'The month.'],
  USAGE: ['usage', 'What calls cost.'],
  CLOSING: ['closing', 'The closing balance.'],
};
const StatementSort = sortInput('Statement', sortFields);

@ArgsType()
export class StatementListArgs extends listArgs(StatementFilterInput, StatementSort, 'Default: newest first.') {}

@ArgsType()
export class OwnStatementListArgs extends listArgs(OwnStatementFilterInput, StatementSort, 'Default: newest first.') {}

@ObjectType('BillingProfile', { description: 'What an account wants to read on its statements.' })
export class BillingProfileObject extends fields({
  name: text('The billing name, such as that of a company.'),
  address: text('Several lines.'),
  taxNumber: text('The tax number.'),
  notifies: flag('A notice is sent when a statement is closed, by mail or to the webhook of the account.'),
}) {}

@InputType('UpdateBillingProfileInput', { description: 'A change of the billing profile. Absent fields stay.' })
export class UpdateBillingProfileInput extends inputFields({
  name: text.orNull('At most 200 characters.'),
  address: text.orNull('At most 500 characters.'),
  taxNumber: text.orNull('At most 100 characters.'),
  notifies: flag.orNull('Whether a notice is sent when a statement is closed.'),
}) {}
