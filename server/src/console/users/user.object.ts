import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../platform/graphql/access.js';
import { inputFields, ints, text } from '../../platform/graphql/fields.js';
import { enumType, RoleEnum } from '../../platform/graphql/enums.js';
import { listArgs, PageInterface, pageItems, sortInput } from '../../platform/graphql/pagination.js';
import { omitNullish, type Nullable } from '../../platform/graphql/nullable.js';
import { QuotaRangeObject, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLQuota, GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import type { Role, UserStatus } from '../../shared/actor.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import type { UserFilter, UserSortField, UserSums } from './user-list.js';
import type { User } from './user.entity.js';
import type { NewUserInput, SelfPatch, UserPatch } from './user-input.js';

export const UserStatusEnum = enumType(
  'UserStatus',
  { ENABLED: 'enabled', BANNED: 'banned', OTHER: 'other' },
  'Whether a user can sign in.',
  {
    ENABLED: 'The user can sign in, and keys of the user work.',
    BANNED: 'An admin banned the user, whose keys do not work.',
    OTHER: 'Set by another console. The user cannot sign in.',
  },
);

export const IdentityProviderEnum = enumType(
  'IdentityProvider',
  {
    GITHUB: 'githubId',
    OIDC: 'oidcId',
    LINUXDO: 'linuxDoId',
    WECHAT: 'wechatId',
    TELEGRAM: 'telegramId',
  },
  'Where a user can have an account to sign in with.',
  {
    GITHUB: 'An account at GitHub.',
    OIDC: 'An account at the OpenID Connect provider that the operator has set up.',
    LINUXDO: 'An account at the forum linux.do.',
    WECHAT: 'A WeChat account, through the official account of the operator.',
    TELEGRAM: 'A Telegram account.',
  },
);
const identityColumns = Object.values(IdentityProviderEnum);
export type IdentityColumn = (typeof identityColumns)[number];

@ObjectType('Identity', { description: 'An account at a provider with which the user can sign in.' })
export class IdentityObject {
  @Field(() => IdentityProviderEnum, { description: 'Where the account is.' })
  provider: IdentityColumn;

  @Field(() => String, { description: 'The user’s id at the provider.' })
  subject: string;
}

export const identitiesOf = (user: User): IdentityObject[] =>
  identityColumns.map((provider) => ({ provider, subject: user[provider] })).filter(({ subject }) => subject !== '');

@ObjectType('Invite', { description: 'The users that a user invited, and the earnings from it.' })
export class InviteObject {
  @Field(() => String, { nullable: true, description: 'Null: none yet. `inviteCode` creates it.' })
  code: string | null;

  @Field(() => Int, { description: 'Invitations that were rewarded.' })
  count: number;

  @Field(() => GraphQLQuota, { description: 'Earnings not yet transferred.' })
  quota: number;

  @Field(() => GraphQLQuota, { description: 'Total earnings.' })
  totalQuota: number;

  /** Null: the user was not invited. */
  inviterId: number | null;
}

export const inviteOf = ({ affCode, affCount, affQuota, affHistoryQuota, inviterId }: User): InviteObject => ({
  code: affCode || null,
  count: affCount,
  quota: affQuota,
  totalQuota: affHistoryQuota,
  inviterId,
});

/** Fields taken directly from the row; `user.resolver.ts` has the derived ones. */
@ObjectType('User', { description: 'An account. Users see their own, admins see all.' })
export class UserObject implements Partial<User> {
  @Field(() => Int, { description: 'Names the user in mutations, filters and the log.' })
  id: number;

  @Field(() => String, { description: 'The name to sign in with. No two users have it.' })
  username: string;

  @Field(() => String, { description: 'The name that the console shows. Empty: none.' })
  displayName: string;

  @Field(() => RoleEnum, { description: 'The fixed role. `customRole` may add permissions to COMMON.' })
  role: Role;

  @Field(() => UserStatusEnum, { description: 'Whether the user can sign in.' })
  status: UserStatus;

  @Field(() => String, { description: 'Determines prices and channels.' })
  group: string;

  @Field(() => GraphQLQuota, { description: 'Remaining quota, without reservations of calls in flight.' })
  quota: number;

  @Field(() => GraphQLQuota, { description: 'Quota that was charged.' })
  usedQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Calls that were charged.' })
  requestCount: number;

  @Field(() => Boolean, { description: 'An authenticator app or a passkey is set up.' })
  hasSecondFactor: boolean;

  @Field(() => Date, { description: 'When the account was created.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Time of deactivation; the name stays reserved.' })
  deletedAt: Date | null;
}

@ObjectType('UserSums', { description: 'Totals over all users that match the filter.' })
export class UserSumsObject implements UserSums {
  @Field(() => GraphQLQuota, { description: 'Remaining quota.' })
  quota: number;

  @Field(() => GraphQLQuota, { description: 'Reserved for calls in flight; not part of `quota`.' })
  heldQuota: number;

  @Field(() => GraphQLQuota, { description: 'Invite earnings not yet transferred.' })
  inviteQuota: number;

  @Field(() => GraphQLQuota, { description: 'Quota that was charged, since the accounts were created.' })
  usedQuota: number;

  @Field(() => Float, { description: '`quota` in USD.' })
  usd: number;
}

@ObjectType('UserPage', { implements: PageInterface, description: 'A page of users.' })
export class UserPageObject extends pageItems(UserObject) {
  @Cost(50)
  @Field(() => UserSumsObject, { description: 'Totals of all users who match, not only of this page.' })
  sums: UserSumsObject;
}

const UserSort = sortInput<UserSortField>('User', {
  ID: ['id', 'The id, which grows with time.'],
  USERNAME: ['username', 'The user name.'],
  DISPLAY_NAME: ['displayName', 'The display name.'],
  EMAIL: ['email', 'The e-mail address. Users without one have an empty address.'],
  ROLE: ['role', 'Common users, then admins, then root.'],
  STATUS: ['status', 'Enabled, then banned.'],
  GROUP: ['group', 'The name of the group.'],
  QUOTA: ['quota', 'Remaining quota.'],
  USED_QUOTA: ['usedQuota', 'Quota that was charged.'],
  REQUEST_COUNT: ['requestCount', 'Calls that were charged.'],
  INVITE_COUNT: ['inviteCount', 'Invitations that were rewarded.'],
  CREATED_AT: ['createdAt', 'When the account was created.'],
  LAST_CHECK_IN_AT: ['lastCheckInAt', 'When the user last claimed the daily reward. Users who never did have none.'],
  DAYS_LEFT: [
    'daysLeft',
    '`User.daysLeft`. Users who spent nothing have none. Without cursors: read further rows by `page`. Costs 200 once.',
  ],
});

@InputType('UserFilter', { description: 'Users must meet all conditions. A list matches any of its values.' })
export class UserFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only these users.' })
  ids?: number[] | null;

  @Field(() => String, { nullable: true, description: 'Part of name, address or display name, or a full id.' })
  keyword?: string | null;

  @Field(() => [String], { nullable: true, description: 'Only users of these groups.' })
  groups?: string[] | null;

  @Field(() => [RoleEnum], { nullable: true, description: 'Only users with one of these fixed roles.' })
  roles?: Role[] | null;

  @Field(() => [UserStatusEnum], { nullable: true, description: 'Only users with one of these statuses.' })
  statuses?: string[] | null;

  @Field(() => TimeRangeObject, { nullable: true, description: 'When the account was created.' })
  created?: TimeRangeObject | null;

  @Field(() => [Int], { nullable: true, description: 'Ids of the users who invited them.' })
  inviterIds?: number[] | null;

  @Field(() => QuotaRangeObject, { nullable: true, description: 'Remaining quota.' })
  quota?: QuotaRangeObject | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The balance is below so many days of spend, at the mean of the last 7 days. Costs 200 once.',
  })
  daysLeftBelow?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Absent: includes deactivated users.' })
  isDeleted?: boolean | null;
}

/** @throws InvalidInputError */
export function toUserFilter(input: UserFilterInput | null | undefined): UserFilter {
  const { created, ...same } = omitNullish<UserFilter & { created: TimeRangeObject }>(
    (input ?? {}) as Nullable<UserFilter>,
  );
  return { ...same, ...(created && { created: resolveTimeRange(created, { field: 'filter.created' }) }) };
}

@ArgsType()
export class UserListArgs extends listArgs(UserFilterInput, UserSort, 'Default: newest first.') {}

/** Returns the cost of adding up what all users spend, which a list by the days that balances last needs. */
export const costOfSpend = ({ filter, sort }: UserListArgs): number =>
  filter?.daysLeftBelow != null || sort?.some(({ field }) => field === 'daysLeft') ? 200 : 0;

@InputType('CreateUserInput', { description: 'A new common user.' })
export class CreateUserInput implements NewUserInput {
  @Field(() => String, { description: '1 to 64 characters, without an @.' })
  username: string;

  @Field(() => String, { description: '8 characters to 72 bytes.' })
  password: string;

  @Field(() => String, { nullable: true, description: 'Default: the user name.' })
  displayName?: string;

  @Field(() => String, { nullable: true, description: 'Default: the default group.' })
  group?: string;
}

@InputType('UpdateUserInput', { description: 'Absent fields stay unchanged; null clears `email` and `displayName`.' })
export class UpdateUserInput implements Nullable<UserPatch> {
  @Field(() => Int, { description: '`User.id`.' })
  id: number;

  @Field(() => String, { nullable: true, description: '1 to 64 characters, without an @.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: 'A new password ends the user’s sessions.' })
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'At most 20 characters.' })
  displayName?: string | null;

  @Field(() => String, { nullable: true, description: 'Determines prices and channels of the user.' })
  group?: string | null;

  @Field(() => String, { nullable: true, description: 'At most 50 characters. No code proves it.' })
  email?: string | null;
}

@InputType('UpdateMeInput', { description: 'Absent fields stay unchanged.' })
export class UpdateMeInput implements Nullable<SelfPatch> {
  @Field(() => String, { nullable: true, description: '1 to 64 characters, without an @.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: 'At most 20 characters.' })
  displayName?: string | null;

  @Field(() => String, { nullable: true, description: 'A new password ends all other sessions.' })
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'The current password. Checked if present.' })
  originalPassword?: string | null;
}

@InputType('GrantQuotaInput', { description: 'Quota for one user.' })
export class GrantQuotaInput {
  @Field(() => Int, { description: '`User.id`.' })
  userId: number;

  @Field(() => GraphQLQuota, { description: 'Added to the balance; deducted when it is negative.' })
  amount: number;

  @Field(() => String, { nullable: true, description: 'Shown in the log; at most 200 characters.' })
  note?: string | null;

  @Field(() => String, {
    description: 'Chosen by the caller, 1 to 128 characters. A call with a key that was used returns the first result.',
  })
  idempotencyKey: string;
}

@ObjectType('GrantQuotaPayload', { description: 'The result of `grantQuota`.' })
export class GrantQuotaPayload {
  @Field(() => UserObject, { description: 'The user after the change.' })
  user: User;

  @Field(() => Boolean, { description: 'An earlier call with this key granted the quota; this one changed nothing.' })
  replayed: boolean;
}

/** The payload of mutations that return the user. */
export const ofUser = { user: [() => UserObject, 'The user after the change.'] } as const;

@InputType({ description: 'Users, and the group that they move to.' })
export class SetUserGroupInput extends inputFields({
  ids: ints('`User.id` of the users.'),
  group: text('Determines prices and channels of the users.'),
}) {}
