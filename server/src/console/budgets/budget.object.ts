import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import {
  fields,
  flag,
  float,
  inputFields,
  int,
  moment,
  nullable,
  of,
  safeInt,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { GraphQLTimeZone } from '../../platform/graphql/scalars.js';
import type { BudgetKind, BudgetLevel, BudgetSpan } from '../../shared/budget.js';
import { ceilSecond } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import {
  usedShare,
  type BudgetPatch,
  type BudgetView,
  type NewBudget,
  type NewTokenBudget,
} from '../../billing/budgets/index.js';
import type { BudgetFilter, BudgetSortField } from './budget.service.js';

const BudgetLevelEnum = enumType(
  'BudgetLevel',
  {
    TOKEN: 'token',
    MEMBER: 'member',
    PROJECT: 'project',
    USER: 'user',
    GROUP: 'group',
    CHANNEL: 'channel',
    SITE: 'site',
  } satisfies Record<string, BudgetLevel>,
  'Whose calls a budget counts.',
  {
    TOKEN: 'Calls of one API key.',
    MEMBER: 'Calls of one member of an organisation, with all keys that the member has there.',
    PROJECT: 'Calls of one project of an organisation, with all its keys.',
    USER: 'Calls of one user, with all keys and the playground.',
    GROUP: 'The group that routes and pays.',
    CHANNEL: 'Calls that one channel serves.',
    SITE: 'All calls.',
  },
);
export const BudgetKindEnum = enumType(
  'BudgetKind',
  { MONEY: 'money', TOKENS: 'tokens', REQUESTS: 'requests' } satisfies Record<string, BudgetKind>,
  'What a budget counts.',
  {
    MONEY: 'Quota.',
    TOKENS: 'Prompt and output together.',
    REQUESTS: 'Calls.',
  },
);
const BudgetSpanEnum = enumType(
  'BudgetSpan',
  { MINUTE: 'minute', FIVE_HOURS: '5h', DAY: 'day', WEEK: 'week', MONTH: 'month', FIXED: 'fixed' } satisfies Record<
    string,
    BudgetSpan
  >,
  'The length of the windows of a budget.',
  {
    MINUTE:
      'Limits of tokens or requests per minute, counted in the shared state. Not of channels, which have limits of their own.',
    FIVE_HOURS: 'Five hours: from 0, 5, 10, 15 or 20 o’clock, or the last five.',
    DAY: 'From midnight, or 24 hours.',
    WEEK: 'From Monday, or 7 days.',
    MONTH: 'From the first, or 30 days.',
    FIXED: 'One range from startsAt to endsAt.',
  },
);

@ObjectType('BudgetState', { description: 'What is used of a budget now.' })
export class BudgetStateObject extends fields({
  startsAt: moment('Start of the window.'),
  resetsAt: moment.orNull('Null: a rolling window opens little by little.'),
  used: safeInt('Settled in the window, in the unit of `Budget.amount`.'),
  held: safeInt('Taken by calls that run.'),
  usedShare: float(
    '`used` and `held` as a share of `Budget.amount`: 1 when nothing is left. Above 1 after the amount was lowered.',
  ),
}) {}

@ObjectType('Budget', { description: 'A limit of what may be used within a window.' })
export class BudgetObject extends fields({
  id: int('Names the budget in mutations.'),
  level: of<BudgetLevel>(() => BudgetLevelEnum, 'Whose calls it counts.'),
  subjectId: int.orNull('The key, member, project, user or channel. Null for a group and the site.'),
  group: text.orNull('Of a group.'),
  subjectName: text('Name of the key, member, project, user, group or channel. Empty for the site.'),
  kind: of<BudgetKind>(() => BudgetKindEnum, 'The unit of `amount`, and of what was used.'),
  amount: safeInt('Quota, model tokens or requests in each window.'),
  span: of<BudgetSpan>(() => BudgetSpanEnum, 'How long a window is, after which the count begins again.'),
  isRolling: flag('The last hours or days at any moment, and not a period of the calendar.'),
  timeZone: of<string>(() => GraphQLTimeZone, 'Of the calendar.'),
  startsAt: moment.orNull('Of a fixed range.'),
  endsAt: moment.orNull('Of a fixed range. Excluded.'),
  models: texts('Names, or patterns with `*`. Empty: all models.'),
  enabled: flag('False: it refuses no calls.'),
  byAdmin: flag('Set by an admin: the owner of the key cannot change it.'),
  createdAt: moment('When the budget was created.'),
  state: nullable<BudgetStateObject>(() => BudgetStateObject, 'Null outside a fixed range.'),
}) {}

export function toBudgetObject({ budget, subjectName, state }: BudgetView): BudgetObject {
  const { id, level, kind, amount, span, isRolling, timeZone, models, enabled, byAdmin, createdAt } = budget;
  return {
    id,
    level,
    kind,
    amount,
    span,
    isRolling,
    timeZone,
    models,
    enabled,
    byAdmin,
    createdAt,
    subjectName,
    subjectId: budget.subjectId === 0 ? null : budget.subjectId,
    group: level === 'group' ? budget.groupName : null,
    startsAt: budget.startsAt,
    endsAt: budget.endsAt,
    state: state && {
      used: state.used,
      held: state.held,
      usedShare: usedShare(budget, state) ?? 0,
      startsAt: state.start,
      resetsAt: state.end,
    },
  };
}

export const BudgetPageObject = pageObject(BudgetObject, 'BudgetPage', 'A page of budgets.');

@InputType('BudgetFilter', { description: 'Conditions on budgets. All must match.' })
export class BudgetFilterInput extends inputFields({
  level: nullable<BudgetLevel>(
    () => BudgetLevelEnum,
    'Only budgets of keys, of users, of groups, of channels or of the site.',
  ),
  subjectId: int.orNull('The key, member, project, user or channel.'),
  group: text.orNull('The budgets of this group.'),
  userId: int.orNull('Those of this user and of the keys of this user.'),
  usedAtLeast: float.orNull(
    'Only budgets of which at least this share is used, such as 0.8. At most 2,000 budgets are compared.',
  ),
}) {}

export function toBudgetFilter(input: BudgetFilterInput | null | undefined): BudgetFilter {
  const { group: groupName, ...rest } = input ?? {};
  return omitNullish<BudgetFilter>({ ...rest, groupName });
}

const sortFields: SortFields<BudgetSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  LEVEL: ['level', 'The name of the level, in the order of the alphabet.'],
  AMOUNT: ['amount', 'The amount, whatever its unit is.'],
  USED_SHARE: [
    'usedShare',
    '`BudgetState.usedShare`. The only key of its list, of at most 2,000 budgets. Budgets outside their range have none.',
  ],
};
const BudgetSort = sortInput('Budget', sortFields);

@ArgsType()
export class BudgetListArgs extends listArgs(BudgetFilterInput, BudgetSort, 'Default: newest first.') {}

@InputType('TokenBudgetInput', { description: 'A budget that is created with its key.' })
export class TokenBudgetInput extends inputFields({
  kind: of<BudgetKind>(() => BudgetKindEnum, 'The unit of `amount`.'),
  amount: safeInt('Quota, model tokens or requests in each window. 0 refuses every call.'),
  span: of<BudgetSpan>(() => BudgetSpanEnum, 'How long a window is, after which the count begins again.'),
  startsAt: moment.orNull('For a fixed range.'),
  endsAt: moment.orNull('For a fixed range. Excluded.'),
}) {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: the last hours or days at any moment count. False: periods of the calendar.',
  })
  isRolling: boolean;

  @Field(() => GraphQLTimeZone, {
    defaultValue: 'UTC',
    description: 'The zone in which days, weeks and months of the calendar begin.',
  })
  timeZone: string;

  @Field(() => [String], { defaultValue: [], description: 'Names, or patterns with `*`. Empty: all models.' })
  models: string[];

  @Field(() => Boolean, { defaultValue: true, description: 'False creates a budget that refuses no calls yet.' })
  enabled: boolean;
}

@InputType('CreateBudgetInput', {
  description: 'A new budget of a key, a member, a project, a user, a group, a channel or the site.',
})
export class CreateBudgetInput extends inputFields(
  {
    level: of<BudgetLevel>(() => BudgetLevelEnum, 'Whose calls it counts. `subjectId` or `group` says which one.'),
    subjectId: int.orNull('The key, member, project, user or channel.'),
    group: text.orNull('For a group.'),
    idempotencyKey: text.orNull(
      '1 to 128 characters of your choice. A retry with the same key returns the budget of the first call.',
    ),
  },
  TokenBudgetInput,
) {}

export const toNewTokenBudget = ({ startsAt, endsAt, ...fields }: TokenBudgetInput): NewTokenBudget => ({
  ...fields,
  startsAt: startsAt ? ceilSecond(startsAt) : null,
  endsAt: endsAt ? ceilSecond(endsAt) : null,
});

export const toNewBudget = ({
  level,
  subjectId,
  group,
  idempotencyKey: _,
  ...fields
}: CreateBudgetInput): NewBudget => ({
  ...toNewTokenBudget(fields),
  level,
  subjectId: subjectId ?? 0,
  groupName: group ?? '',
});

@InputType('UpdateBudgetInput', {
  description: 'Absent fields stay unchanged. The window and what is counted cannot be changed: create another budget.',
})
export class UpdateBudgetInput extends inputFields({
  id: int('`Budget.id`.'),
  amount: safeInt.orNull('The new amount in each window, in the unit of the budget. 0 refuses every call.'),
  models: texts.orNull('The models it counts from now on: names, or patterns with `*`. Empty: all models.'),
  enabled: flag.orNull('False: it refuses no calls.'),
}) {}

export const toBudgetPatch = ({ amount, models, enabled }: UpdateBudgetInput): Partial<BudgetPatch> =>
  omitUndefined({ amount: amount ?? undefined, models: models ?? undefined, enabled: enabled ?? undefined });
