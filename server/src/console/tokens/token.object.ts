import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import {
  fields,
  flag,
  inputFields,
  int,
  ints,
  moment,
  nullable,
  of,
  quota,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import type { Token, TokenStatus } from '../../billing/accounts/index.js';
import { TokenScopeEnum } from './token-scope.object.js';
import type { TokenScope } from '../../shared/token-scopes.js';
import { shownStatus } from './token-input.js';
import type { TokenFilter, TokenSortField } from './token-query.js';

export const TokenStatusEnum: { readonly [Status in TokenStatus as Uppercase<Status>]: Status } = enumType(
  'TokenStatus',
  {
    ENABLED: 'enabled',
    DISABLED: 'disabled',
    EXPIRED: 'expired',
    EXHAUSTED: 'exhausted',
  },
  'Whether an API key can be used.',
  {
    ENABLED: 'It can be used.',
    DISABLED: 'Its owner or an admin switched it off.',
    EXPIRED: 'Its expiry time has passed.',
    EXHAUSTED: 'Its quota is used up.',
  },
);

@ObjectType('TokenQuota', { description: 'What an API key can spend, and what it spent.' })
export class TokenQuotaObject extends fields({
  remaining: quota.orNull('Null: unlimited.'),
  used: quota('Quota that its calls were charged, since it was created.'),
}) {}

@ObjectType('TokenRateLimit', { description: 'A rate limit of the key, in addition to that of its user.' })
export class TokenRateLimitObject extends fields({
  periodSeconds: int('Length of the period in seconds.'),
  calls: int.orNull('Calls per period, failed ones included. Null: no limit.'),
  successes: int.orNull('Successful calls per period. Null: no limit.'),
}) {}

@ObjectType('Token', { description: 'An API key of a user.' })
export class TokenObject extends fields({
  id: int('Names the key in mutations, filters and the log. It is not the text of the key.'),
  userId: int('The owner, who pays for its calls: a user or an organisation.'),
  memberId: int.orNull(
    '`Member.id` for whom the key of an organisation was made. Null: the organisation itself, or a user.',
  ),
  projectId: int.orNull('`Project.id` that its calls belong to. Null: none.'),
  name: text('Chosen by the owner; several keys may have it.'),
  maskedKey: text('Only the first characters. Owners read the full key with `tokenKey`.'),
  status: of<TokenStatus>(() => TokenStatusEnum, 'Whether the key can be used now.'),
  group: text.orNull('Null: the group of the user.'),
  fallbackGroups: texts('Groups that are tried after `group`, in this order.'),
  fallbackModels: texts(
    'Models that are called in place of one that no channel can serve, in this order. Empty: as the site sets.',
  ),
  quota: of<TokenQuotaObject>(
    () => TokenQuotaObject,
    'What the key may still spend, and what it has spent. Its owner must have a balance, too.',
  ),
  modelLimits: texts.orNull('The models it can call. Null: all.'),
  allowIps: texts('IP addresses and CIDR ranges that can use it. Empty: all.'),
  rateLimit: nullable<TokenRateLimitObject>(() => TokenRateLimitObject, 'Null: only that of the user.'),
  scopes: of<TokenScope[]>(() => [TokenScopeEnum], 'What the key may do.'),
  previousKeyUntil: moment.orNull('The text before the last rotation works until then.'),
  createdAt: moment('When the key was created.'),
  lastUsedAt: moment.orNull('Of the last charged call. Null: never used.'),
  expiresAt: moment.orNull('Null: never.'),
}) {}

export function toTokenObject(token: Token): TokenObject {
  const { id, userId, name } = token;
  return {
    id,
    userId,
    memberId: token.memberId || null,
    projectId: token.projectId || null,
    name,
    status: shownStatus(token),
    maskedKey: `sk-${token.keyPrefix}**********`,
    group: token.group || null,
    fallbackGroups: token.fallbackGroups,
    fallbackModels: token.fallbackModels,
    quota: { remaining: token.unlimitedQuota ? null : token.remainQuota, used: token.usedQuota },
    modelLimits: token.modelLimitsEnabled ? token.modelLimits : null,
    allowIps: token.allowIps,
    rateLimit: token.rateLimit.enabled ? token.rateLimit : null,
    scopes: token.scopes,
    previousKeyUntil:
      token.previousKeyUntil && token.previousKeyUntil.getTime() > Date.now() ? token.previousKeyUntil : null,
    createdAt: token.createdAt,
    lastUsedAt: token.lastUsedAt,
    expiresAt: token.expiresAt,
  };
}

export const TokenPage = pageObject(TokenObject, 'TokenPage', 'A page of API keys.');

@InputType('OwnTokenFilter', { description: 'Conditions on API keys. All must match. An empty list matches nothing.' })
export class OwnTokenFilterInput extends inputFields({
  ids: ints.orNull('Only these keys.'),
  keyword: text.orNull('Part of the name, a prefix of the key, or the full key.'),
  memberIds: ints.orNull('Only keys of these members of organisations. 0 matches keys of no member.'),
  projectIds: ints.orNull('Only keys of these projects. 0 matches keys of no project.'),
  statuses: nullable<TokenStatus[]>(() => [TokenStatusEnum], 'Only keys with one of these statuses.'),
  groups: texts.orNull('`""` matches keys without a group of their own.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the key was created.'),
  expires: nullable<TimeRangeObject>(() => TimeRangeObject, 'Keys that never expire do not match.'),
  lastUsed: nullable<TimeRangeObject>(() => TimeRangeObject, 'Time of the last charged call.'),
  neverUsed: flag.orNull('True: only keys without a charged call. False: only keys with one.'),
}) {}

@InputType('TokenFilter', { description: 'Conditions on API keys. All must match. An empty list matches nothing.' })
export class TokenFilterInput extends OwnTokenFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only keys of these users.' })
  userIds?: number[] | null;
}

const sortFields: SortFields<TokenSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  USER_ID: ['userId', 'The owner.'],
  NAME: ['name', 'The name.'],
  STATUS: ['status', 'Enabled, then disabled, then expired, then exhausted.'],
  GROUP: ['group', 'The group of the key. Keys without one have an empty group.'],
  CREATED_AT: ['createdAt', 'When the key was created.'],
  LAST_USED_AT: ['lastUsedAt', 'Time of the last charged call. Keys that were never used have none.'],
  EXPIRES_AT: ['expiresAt', 'When the key expires. Keys that never expire have none.'],
  REMAINING_QUOTA: ['remainQuota', 'The stored remaining quota, which says nothing of keys without a limit.'],
  USED_QUOTA: ['usedQuota', 'Quota that its calls were charged.'],
};
const TokenSort = sortInput('Token', sortFields);

@ArgsType()
export class OwnTokenListArgs extends listArgs(
  OwnTokenFilterInput,
  TokenSort,
  'Default: newest first. Nulls come last.',
) {}

@ArgsType()
export class TokenListArgs extends listArgs(TokenFilterInput, TokenSort, 'Default: newest first. Nulls come last.') {}

/** @throws InvalidInputError for an invalid range */
export const toTokenFilter = (input: TokenFilterInput | null | undefined): TokenFilter =>
  toFilter<TokenFilter>(input, ['created', 'expires', 'lastUsed']);
