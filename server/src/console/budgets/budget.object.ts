import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { GraphQLSafeInt, GraphQLTimeZone } from '../../platform/graphql/scalars.js';
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
  { TOKEN: 'token', USER: 'user', GROUP: 'group', CHANNEL: 'channel', SITE: 'site' } satisfies Record<
    string,
    BudgetLevel
  >,
  'Whose calls a budget counts.',
  {
    TOKEN: 'Calls of one API key.',
    USER: 'Calls of one user, with all keys and the playground.',
    GROUP: 'The group that routes and pays.',
    CHANNEL: 'Calls that one channel serves.',
    SITE: 'All calls.',
  },
);
const BudgetKindEnum = enumType(
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
export class BudgetStateObject {
  @Field(() => Date, { description: 'Start of the window.' })
  startsAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null: a rolling window opens little by little.' })
  resetsAt: Date | null;

  @Field(() => GraphQLSafeInt, { description: 'Settled in the window, in the unit of `Budget.amount`.' })
  used: number;

  @Field(() => GraphQLSafeInt, { description: 'Taken by calls that run.' })
  held: number;

  @Field(() => Float, {
    description:
      '`used` and `held` as a share of `Budget.amount`: 1 when nothing is left. Above 1 after the amount was lowered.',
  })
  usedShare: number;
}

@ObjectType('Budget', { description: 'A limit of what may be used within a window.' })
export class BudgetObject {
  @Field(() => Int, { description: 'Names the budget in mutations.' })
  id: number;

  @Field(() => BudgetLevelEnum, { description: 'Whose calls it counts.' })
  level: BudgetLevel;

  @Field(() => Int, { nullable: true, description: 'The key, user or channel. Null for a group and the site.' })
  subjectId: number | null;

  @Field(() => String, { nullable: true, description: 'Of a group.' })
  group: string | null;

  @Field(() => String, { description: 'Name of the key, user, group or channel. Empty for the site.' })
  subjectName: string;

  @Field(() => BudgetKindEnum, { description: 'The unit of `amount`, and of what was used.' })
  kind: BudgetKind;

  @Field(() => GraphQLSafeInt, { description: 'Quota, model tokens or requests in each window.' })
  amount: number;

  @Field(() => BudgetSpanEnum, { description: 'How long a window is, after which the count begins again.' })
  span: BudgetSpan;

  @Field(() => Boolean, { description: 'The last hours or days at any moment, and not a period of the calendar.' })
  isRolling: boolean;

  @Field(() => GraphQLTimeZone, { description: 'Of the calendar.' })
  timeZone: string;

  @Field(() => Date, { nullable: true, description: 'Of a fixed range.' })
  startsAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'Of a fixed range. Excluded.' })
  endsAt: Date | null;

  @Field(() => [String], { description: 'Names, or patterns with `*`. Empty: all models.' })
  models: string[];

  @Field(() => Boolean, { description: 'False: it refuses no calls.' })
  enabled: boolean;

  @Field(() => Boolean, { description: 'Set by an admin: the owner of the key cannot change it.' })
  byAdmin: boolean;

  @Field(() => Date, { description: 'When the budget was created.' })
  createdAt: Date;

  @Field(() => BudgetStateObject, { nullable: true, description: 'Null outside a fixed range.' })
  state: BudgetStateObject | null;
}

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
export class BudgetFilterInput {
  @Field(() => BudgetLevelEnum, {
    nullable: true,
    description: 'Only budgets of keys, of users, of groups, of channels or of the site.',
  })
  level?: BudgetLevel | null;

  @Field(() => Int, { nullable: true, description: 'The key, user or channel.' })
  subjectId?: number | null;

  @Field(() => String, { nullable: true, description: 'The budgets of this group.' })
  group?: string | null;

  @Field(() => Int, { nullable: true, description: 'Those of this user and of the keys of this user.' })
  userId?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Only budgets of which at least this share is used, such as 0.8. At most 2,000 budgets are compared.',
  })
  usedAtLeast?: number | null;
}

export const toBudgetFilter = (input: BudgetFilterInput | null | undefined): BudgetFilter =>
  omitUndefined({
    level: input?.level ?? undefined,
    subjectId: input?.subjectId ?? undefined,
    groupName: input?.group ?? undefined,
    userId: input?.userId ?? undefined,
    usedAtLeast: input?.usedAtLeast ?? undefined,
  });

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
export class TokenBudgetInput {
  @Field(() => BudgetKindEnum, { description: 'The unit of `amount`.' })
  kind: BudgetKind;

  @Field(() => GraphQLSafeInt, { description: 'Quota, model tokens or requests in each window. 0 refuses every call.' })
  amount: number;

  @Field(() => BudgetSpanEnum, { description: 'How long a window is, after which the count begins again.' })
  span: BudgetSpan;

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

  @Field(() => Date, { nullable: true, description: 'For a fixed range.' })
  startsAt?: Date | null;

  @Field(() => Date, { nullable: true, description: 'For a fixed range. Excluded.' })
  endsAt?: Date | null;

  @Field(() => [String], { defaultValue: [], description: 'Names, or patterns with `*`. Empty: all models.' })
  models: string[];

  @Field(() => Boolean, { defaultValue: true, description: 'False creates a budget that refuses no calls yet.' })
  enabled: boolean;
}

@InputType('CreateBudgetInput', { description: 'A new budget of a key, a user, a group, a channel or the site.' })
export class CreateBudgetInput extends TokenBudgetInput {
  @Field(() => BudgetLevelEnum, { description: 'Whose calls it counts. `subjectId` or `group` says which one.' })
  level: BudgetLevel;

  @Field(() => Int, { nullable: true, description: 'The key, user or channel.' })
  subjectId?: number | null;

  @Field(() => String, { nullable: true, description: 'For a group.' })
  group?: string | null;

  @Field(() => String, {
    nullable: true,
    description: '1 to 128 characters of your choice. A retry with the same key returns the budget of the first call.',
  })
  idempotencyKey?: string | null;
}

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
export class UpdateBudgetInput {
  @Field(() => Int, { description: '`Budget.id`.' })
  id: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The new amount in each window, in the unit of the budget. 0 refuses every call.',
  })
  amount?: number | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The models it counts from now on: names, or patterns with `*`. Empty: all models.',
  })
  models?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: 'False: it refuses no calls.' })
  enabled?: boolean | null;
}

export const toBudgetPatch = ({ amount, models, enabled }: UpdateBudgetInput): Partial<BudgetPatch> =>
  omitUndefined({ amount: amount ?? undefined, models: models ?? undefined, enabled: enabled ?? undefined });
