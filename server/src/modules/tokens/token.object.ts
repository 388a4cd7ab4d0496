import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { Token } from './token.entity.js';
import type { TokenFields, TokenFilter } from './token.service.js';

/** Unix seconds in the row, dates here. */
type Times = 'createdTime' | 'accessedTime' | 'expiredTime';
type Hidden = 'keyHash' | 'keySealed' | 'keyPrefix' | 'deletedAt';
type ShownToken = Omit<Token, Hidden | Times> & Record<Times, Date | null>;

@ObjectType('Token', { description: 'An API key of a user.' })
export class TokenObject implements ShownToken {
  @Field(() => Int)
  id: number;

  @Field(() => Int)
  userId: number;

  @Field(() => String, { description: 'Its beginning only; the owner may ask for `tokenKey`.' })
  maskedKey: string;

  @Field(() => Int, { description: '1 enabled, 2 disabled, 3 expired, 4 exhausted.' })
  status: number;

  @Field(() => String)
  name: string;

  @Field(() => Date, { nullable: true })
  createdTime: Date | null;

  @Field(() => Date, { nullable: true, description: 'Of the last charged call.' })
  accessedTime: Date | null;

  @Field(() => Date, { nullable: true, description: 'Null: never.' })
  expiredTime: Date | null;

  @Field(() => GraphQLSafeInt)
  remainQuota: number;

  @Field(() => GraphQLSafeInt)
  usedQuota: number;

  @Field(() => Boolean)
  unlimitedQuota: boolean;

  @Field(() => Boolean)
  modelLimitsEnabled: boolean;

  @Field(() => String, { description: 'Model names between commas.' })
  modelLimits: string;

  @Field(() => String, { description: 'Addresses and CIDR ranges on lines; empty allows all.' })
  allowIps: string;

  @Field(() => String, { description: 'Empty: the group of the user.' })
  group: string;

  @Field(() => Boolean, { description: 'The key has limits of calls of its own.' })
  rateLimitEnabled: boolean;

  @Field(() => Int, { description: 'Seconds.' })
  rateLimitPeriod: number;

  @Field(() => Int, { description: 'Calls in a period, failures included; 0 is no limit.' })
  rateLimitCount: number;

  @Field(() => Int, { description: 'Calls in a period that succeed; 0 is no limit.' })
  rateLimitSuccess: number;
}

export function toTokenObject(token: Token): TokenObject {
  return {
    id: token.id,
    userId: token.userId,
    maskedKey: `sk-${token.keyPrefix}**********`,
    status: token.status,
    name: token.name,
    createdTime: toDate(token.createdTime),
    accessedTime: toDate(token.accessedTime),
    expiredTime: token.expiredTime === -1 ? null : toDate(token.expiredTime),
    remainQuota: token.remainQuota,
    usedQuota: token.usedQuota,
    unlimitedQuota: token.unlimitedQuota,
    modelLimitsEnabled: token.modelLimitsEnabled,
    modelLimits: token.modelLimits,
    allowIps: token.allowIps,
    group: token.group,
    rateLimitEnabled: token.rateLimitEnabled,
    rateLimitPeriod: token.rateLimitPeriod,
    rateLimitCount: token.rateLimitCount,
    rateLimitSuccess: token.rateLimitSuccess,
  };
}

const toDate = (seconds: number): Date => new Date(seconds * 1000);

export const TokenPage = pageType(TokenObject, 'TokenPage');

@ObjectType()
export class CreatedToken {
  @Field(() => TokenObject)
  token: TokenObject;

  @Field(() => String, { description: 'The whole key, with `sk-`.' })
  key: string;
}

@InputType('TokenFilter')
export class TokenFilterInput implements Nullable<TokenFilter> {
  @Field(() => String, { nullable: true, description: 'Part of the name, the beginning of the key, or the whole key.' })
  keyword?: string | null;

  @Field(() => Int, { nullable: true, description: 'Own lists ignore it.' })
  userId?: number | null;

  @Field(() => Int, { nullable: true })
  status?: number | null;
}

@ArgsType()
export class TokenListArgs extends PageArgs {
  @Field(() => TokenFilterInput, { nullable: true })
  filter?: TokenFilterInput | null;
}

type Written = Omit<TokenFields, 'expiredTime'> & { readonly expiredTime: Date };

@InputType('TokenPatch', { description: 'Absent fields stay as they are.' })
export class TokenPatchInput implements Nullable<Written> {
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => Date, { nullable: true, description: 'Null: never; absent: unchanged.' })
  expiredTime?: Date | null;

  @Field(() => GraphQLSafeInt, { nullable: true })
  remainQuota?: number | null;

  @Field(() => Boolean, { nullable: true })
  unlimitedQuota?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  modelLimitsEnabled?: boolean | null;

  @Field(() => String, { nullable: true })
  modelLimits?: string | null;

  @Field(() => String, { nullable: true })
  allowIps?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => Boolean, { nullable: true })
  rateLimitEnabled?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Seconds, 60 for new keys.' })
  rateLimitPeriod?: number | null;

  @Field(() => Int, { nullable: true, description: 'Calls in a period; 0 is no limit, 1000 for new keys.' })
  rateLimitCount?: number | null;

  @Field(() => Int, { nullable: true, description: 'Successful calls in a period; 0 is no limit, 10 for new keys.' })
  rateLimitSuccess?: number | null;

  @Field(() => Int, { nullable: true, description: '1 enabled, 2 disabled.' })
  status?: number | null;
}

@InputType('TokenInput')
export class TokenInputObject implements Nullable<Written> {
  @Field(() => String)
  name: string;

  @Field(() => Date, { nullable: true, description: 'Absent or null: never.' })
  expiredTime?: Date | null;

  @Field(() => GraphQLSafeInt, { nullable: true })
  remainQuota?: number | null;

  @Field(() => Boolean, { nullable: true })
  unlimitedQuota?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  modelLimitsEnabled?: boolean | null;

  @Field(() => String, { nullable: true })
  modelLimits?: string | null;

  @Field(() => String, { nullable: true })
  allowIps?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => Boolean, { nullable: true })
  rateLimitEnabled?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Seconds, 60 for new keys.' })
  rateLimitPeriod?: number | null;

  @Field(() => Int, { nullable: true, description: 'Calls in a period; 0 is no limit, 1000 for new keys.' })
  rateLimitCount?: number | null;

  @Field(() => Int, { nullable: true, description: 'Successful calls in a period; 0 is no limit, 10 for new keys.' })
  rateLimitSuccess?: number | null;
}

/** An expiry that is null means never, here alone null is a value. */
export function toTokenFields(input: Nullable<Written>): Partial<TokenFields> {
  const { expiredTime, ...rest } = input;
  const seconds = expiredTime ? Math.floor(expiredTime.getTime() / 1000) : expiredTime === null ? -1 : undefined;
  return omitUndefined({ ...omitNullish<Omit<TokenFields, 'expiredTime'>>(rest), expiredTime: seconds });
}
