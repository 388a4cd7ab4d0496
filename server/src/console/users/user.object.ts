import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { Cost } from '../../platform/graphql/access.js';
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
  texts,
} from '../../platform/graphql/fields.js';
import { enumType, RoleEnum } from '../../platform/graphql/enums.js';
import { listArgs, PageInterface, pageItems, sortInput } from '../../platform/graphql/pagination.js';
import { type Nullable } from '../../platform/graphql/nullable.js';
import { GraphQLQuota } from '../../platform/graphql/scalars.js';
import { QuotaRangeObject, TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import type { Role, UserStatus } from '../../shared/actor.js';
import type { AccountKind } from '../../shared/organisation.js';
import type { UserFilter, UserSortField, UserSums } from './user-list.js';
import type { User } from '../../billing/accounts/index.js';
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
export class IdentityObject extends fields({
  provider: of<IdentityColumn>(() => IdentityProviderEnum, 'Where the account is.'),
  subject: text('The user’s id at the provider.'),
}) {}

export const identitiesOf = (user: User): IdentityObject[] =>
  identityColumns.map((provider) => ({ provider, subject: user[provider] })).filter(({ subject }) => subject !== '');

@ObjectType('Invite', { description: 'The users that a user invited, and the earnings from it.' })
export class InviteObject extends fields({
  code: text.orNull('Null: none yet. `inviteCode` creates it.'),
  count: int('Invitations that were rewarded.'),
  quota: quota('Earnings not yet transferred.'),
  totalQuota: quota('Total earnings.'),
}) {
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

export const AccountKindEnum: { readonly [Kind in AccountKind as Uppercase<Kind>]: Kind } = enumType(
  'AccountKind',
  { PERSON: 'person', ORGANISATION: 'organisation' },
  'What an account is.',
  {
    PERSON: 'A user, who signs in.',
    ORGANISATION: 'An organisation, for which its members act. It cannot sign in.',
  },
);

/** Fields taken directly from the row; `user.resolver.ts` has the derived ones. */
@ObjectType('User', { description: 'An account. Users see their own, admins see all.' })
export class UserObject
  extends fields({
    id: int('Names the user in mutations, filters and the log.'),
    username: text('The name to sign in with. No two users have it.'),
    displayName: text('The name that the console shows. Empty: none.'),
    kind: of<AccountKind>(() => AccountKindEnum, 'A person, or an organisation.'),
    role: of<Role>(() => RoleEnum, 'The fixed role. `customRole` may add permissions to COMMON.'),
    status: of<UserStatus>(() => UserStatusEnum, 'Whether the user can sign in.'),
    group: text('Determines prices and channels.'),
    externalId: text.orNull('The id of the user in a system of the operator. Null: none.'),
    quota: quota('Remaining quota, without reservations of calls in flight.'),
    usedQuota: quota('Quota that was charged.'),
    requestCount: safeInt('Calls that were charged.'),
    hasSecondFactor: flag('An authenticator app or a passkey is set up.'),
    createdAt: moment('When the account was created.'),
    deletedAt: moment.orNull('Time of deactivation; the name stays reserved.'),
  })
  implements Partial<User> {}

@ObjectType('UserSums', { description: 'Totals over all users that match the filter.' })
export class UserSumsObject
  extends fields({
    quota: quota('Remaining quota.'),
    heldQuota: quota('Reserved for calls in flight; not part of `quota`.'),
    inviteQuota: quota('Invite earnings not yet transferred.'),
    usedQuota: quota('Quota that was charged, since the accounts were created.'),
    usd: float('`quota` in USD.'),
  })
  implements UserSums {}

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
export class UserFilterInput extends inputFields({
  ids: ints.orNull('Only these users.'),
  keyword: text.orNull('Part of name, address or display name, or a full id or external id.'),
  groups: texts.orNull('Only users of these groups.'),
  externalIds: texts.orNull('Only users with one of these external ids.'),
  roles: nullable<Role[]>(() => [RoleEnum], 'Only users with one of these fixed roles.'),
  statuses: nullable<string[]>(() => [UserStatusEnum], 'Only users with one of these statuses.'),
  kinds: nullable<AccountKind[]>(() => [AccountKindEnum], 'Only people, or only organisations. Absent: both.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the account was created.'),
  inviterIds: ints.orNull('Ids of the users who invited them.'),
  quota: nullable<QuotaRangeObject>(() => QuotaRangeObject, 'Remaining quota.'),
  daysLeftBelow: float.orNull(
    'The balance is below so many days of spend, at the mean of the last 7 days. Costs 200 once.',
  ),
  isDeleted: flag.orNull('Absent: includes deactivated users.'),
}) {}

/** @throws InvalidInputError */
export const toUserFilter = (input: UserFilterInput | null | undefined): UserFilter =>
  toFilter<UserFilter>(input, ['created']);

@ArgsType()
export class UserListArgs extends listArgs(UserFilterInput, UserSort, 'Default: newest first.') {}

/** Returns the cost of adding up what all users spend, which a list by the days that balances last needs. */
export const costOfSpend = ({ filter, sort }: UserListArgs): number =>
  filter?.daysLeftBelow != null || sort?.some(({ field }) => field === 'daysLeft') ? 200 : 0;

@InputType('CreateUserInput', { description: 'A new common user.' })
export class CreateUserInput
  extends inputFields({
    username: text('1 to 64 characters, without an @.'),
    password: text('8 characters to 72 bytes.'),
    idempotencyKey: text.orNull('Any unique text. A retry with the same key makes no second user.'),
  })
  implements NewUserInput
{
  @Field(() => String, { nullable: true, description: 'Default: the user name.' })
  displayName?: string;

  @Field(() => String, { nullable: true, description: 'Default: the default group.' })
  group?: string;

  @Field(() => String, {
    nullable: true,
    description: 'The id of the user in a system of the operator, unique. At most 128 characters.',
  })
  externalId?: string;

  @Field(() => GraphQLQuota, {
    nullable: true,
    description: 'The first balance. Default: that of new users. Needs USERS_QUOTA too.',
  })
  quota?: number;
}

@InputType('UpdateUserInput', {
  description: 'Absent fields stay unchanged; null clears `email`, `displayName` and `externalId`.',
})
export class UpdateUserInput
  extends inputFields({
    id: int('`User.id`.'),
    username: text.orNull('1 to 64 characters, without an @.'),
    password: text.orNull('A new password ends the user’s sessions.'),
    displayName: text.orNull('At most 20 characters.'),
    group: text.orNull('Determines prices and channels of the user.'),
    email: text.orNull('At most 50 characters. No code proves it.'),
    externalId: text.orNull('The id of the user in a system of the operator, unique. At most 128 characters.'),
  })
  implements Nullable<UserPatch> {}

@InputType('UpdateMeInput', { description: 'Absent fields stay unchanged.' })
export class UpdateMeInput
  extends inputFields({
    username: text.orNull('1 to 64 characters, without an @.'),
    displayName: text.orNull('At most 20 characters.'),
    password: text.orNull('A new password ends all other sessions.'),
    originalPassword: text.orNull('The current password. Checked if present.'),
  })
  implements Nullable<SelfPatch> {}

@InputType('GrantQuotaInput', { description: 'Quota for one user.' })
export class GrantQuotaInput extends inputFields({
  userId: int('`User.id`.'),
  amount: quota('Added to the balance; deducted when it is negative.'),
  note: text.orNull('Shown in the log; at most 200 characters.'),
  idempotencyKey: text(
    'Chosen by the caller, 1 to 128 characters. A call with a key that was used returns the first result.',
  ),
}) {}

@ObjectType('GrantQuotaPayload', { description: 'The result of `grantQuota`.' })
export class GrantQuotaPayload extends fields({
  user: of<User>(() => UserObject, 'The user after the change.'),
  replayed: flag('An earlier call with this key granted the quota; this one changed nothing.'),
}) {}

/** The payload of mutations that return the user. */
export const ofUser = { user: [() => UserObject, 'The user after the change.'] } as const;

@InputType({ description: 'Users, and the group that they move to.' })
export class SetUserGroupInput extends inputFields({
  ids: ints('`User.id` of the users.'),
  group: text('Determines prices and channels of the users.'),
}) {}
