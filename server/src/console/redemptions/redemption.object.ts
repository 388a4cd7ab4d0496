import { ArgsType, createUnionType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../platform/graphql/access.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import {
  listArgs,
  PageInterface,
  pageItems,
  pageObject,
  sortInput,
  type SortFields,
} from '../../platform/graphql/pagination.js';
import { TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLQuota, GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import { pick } from '../../shared/snake-case.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import type { Redeemed, RedeemRefusal } from './redeem.service.js';
import type { RedemptionUse } from './redemption-uses.js';
import type { RedemptionStatus } from './redemption.entity.js';
import type { InputOf, NewRedemptions, RedemptionFields } from './redemption-input.js';
import type { RedemptionFilter, RedemptionSortField, RedemptionSums } from './redemption-query.js';
import type { KeyedRedemption } from './redemption.service.js';

export const RedemptionStatusEnum = enumType(
  'RedemptionStatus',
  { UNUSED: 'enabled', DISABLED: 'disabled', USED: 'used' },
  'Whether a code can be used.',
  {
    UNUSED: 'Can be redeemed; a gift code stays enabled after some uses.',
    DISABLED: 'Cannot be redeemed until an admin enables it.',
    USED: 'Can no longer be redeemed.',
  },
);

export type RedemptionKind = 'ONCE' | 'GIFT';
export const RedemptionKindEnum = enumType(
  'RedemptionKind',
  namesOf(['ONCE', 'GIFT']),
  'How often a code can be used.',
  { ONCE: 'By one user.', GIFT: 'By many users, once by each.' },
);

@ObjectType('RedemptionUse', { description: 'A user who redeemed a code.' })
export class RedemptionUseObject {
  @Field(() => Int, { description: 'The user who redeemed the code.' })
  userId: number;

  @Field(() => Int, { description: '`Redemption.id` of the code, which may be deleted.' })
  redemptionId: number;

  @Field(() => Date, { description: 'When the code was redeemed.' })
  at: Date;

  @Field(() => GraphQLQuota, { description: 'Added to the balance.' })
  quota: number;
}

export const toUseObject = ({ usedAt, ...use }: RedemptionUse): RedemptionUseObject => ({ ...use, at: usedAt });

export const RedemptionUsePage = pageObject(RedemptionUseObject, 'RedemptionUsePage', 'A page of uses of codes.');

@ObjectType('Redemption', { description: 'A code worth quota.' })
export class RedemptionObject {
  @Field(() => Int, { description: 'Names the code in mutations.' })
  id: number;

  @Field(() => String, { description: 'Name of the batch. Several codes can share it.' })
  batch: string;

  @Field(() => String, { description: 'The code itself. Hidden from named access tokens without WRITE.' })
  key: string;

  @Field(() => RedemptionStatusEnum, {
    description: 'Whether the code can be used. One that is no longer valid stays UNUSED.',
  })
  status: RedemptionStatus;

  @Field(() => RedemptionKindEnum, { description: 'How often the code can be used.' })
  kind: RedemptionKind;

  @Field(() => Int, { nullable: true, description: 'Null: a gift code without a limit.' })
  maxUses: number | null;

  @Field(() => Int, { description: 'Users who redeemed the code.' })
  usedCount: number;

  @Field(() => GraphQLQuota, { description: 'Quota each user receives.' })
  quota: number;

  @Field(() => Int, { description: 'The admin who created it.' })
  createdById: number;

  /** The user who redeemed a normal code; null for other codes and before use. */
  redeemedById: number | null;

  @Field(() => Date, { description: 'When the code was created.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Included. Null: no bound.' })
  validFrom: Date | null;

  @Field(() => Date, { nullable: true, description: 'Excluded. Null: no bound.' })
  validUntil: Date | null;
}

export const toRedemptionObject = ({ redemption, key }: KeyedRedemption): RedemptionObject => ({
  ...pick(redemption, ['id', 'status', 'quota', 'createdAt', 'validFrom', 'validUntil']),
  key,
  batch: redemption.name,
  kind: redemption.isGift ? 'GIFT' : 'ONCE',
  maxUses: redemption.isGift ? redemption.maxUses : 1,
  usedCount: redemption.isGift ? redemption.usedCount : Number(redemption.status === 'used'),
  createdById: redemption.userId,
  redeemedById: redemption.usedUserId,
});

@ObjectType('RedemptionSums', { description: 'Totals of all codes that match the filter.' })
export class RedemptionSumsObject implements RedemptionSums {
  @Field(() => GraphQLSafeInt, { description: 'Codes that match, used ones as well.' })
  codes: number;

  @Field(() => GraphQLQuota, {
    description: 'Value of unused, unexpired codes, without unlimited gift codes.',
  })
  unusedQuota: number;

  @Field(() => Float, { description: '`unusedQuota` in USD, at today’s rate.' })
  unusedUsd: number;

  @Field(() => GraphQLQuota, { description: 'Value of redeemed codes.' })
  usedQuota: number;

  @Field(() => Float, { description: '`usedQuota` in USD, at today’s rate.' })
  usedUsd: number;

  @Field(() => GraphQLSafeInt, { description: 'Number of gift codes without a limit of uses.' })
  endlessGifts: number;
}

export const toRedemptionSums = (sums: RedemptionSums, quotaPerUnit: number): RedemptionSumsObject => ({
  ...sums,
  unusedUsd: sums.unusedQuota / quotaPerUnit,
  usedUsd: sums.usedQuota / quotaPerUnit,
});

@ObjectType('RedemptionPage', { implements: PageInterface, description: 'A page of codes.' })
export class RedemptionPageObject extends pageItems(RedemptionObject) {
  @Field(() => RedemptionSumsObject, { description: 'Totals of all codes that match, not only of this page.' })
  @Cost(50)
  sums: RedemptionSumsObject;
}

@InputType('RedemptionFilter', { description: 'Conditions on codes. All must match. An empty list matches nothing.' })
export class RedemptionFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only these codes.' })
  ids?: number[] | null;

  @Field(() => String, { nullable: true, description: 'The full name of the batch.' })
  batch?: string | null;

  @Field(() => String, { nullable: true, description: 'A prefix of the batch name, an id, or a full code.' })
  keyword?: string | null;

  @Field(() => [RedemptionStatusEnum], { nullable: true, description: 'Only codes with one of these statuses.' })
  statuses?: RedemptionStatus[] | null;

  @Field(() => RedemptionKindEnum, { nullable: true, description: 'Only codes of this kind.' })
  kind?: RedemptionKind | null;

  @Field(() => TimeRangeObject, { nullable: true, description: 'When the code was created.' })
  created?: TimeRangeObject | null;
}

/** @throws InvalidInputError for an invalid range */
export function toRedemptionFilter(input: RedemptionFilterInput | null | undefined): RedemptionFilter {
  const { batch, kind, created, ...rest } = input ?? {};
  return omitUndefined({
    ...omitNullish<Pick<RedemptionFilter, 'ids' | 'keyword' | 'statuses'>>(rest),
    name: batch ?? undefined,
    isGift: kind ? kind === 'GIFT' : undefined,
    created: created ? resolveTimeRange(created, { field: 'filter.created' }) : undefined,
  });
}

const sortFields: SortFields<RedemptionSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  BATCH: ['name', 'Name of the batch.'],
  STATUS: ['status', 'Unused, then disabled, then used.'],
  QUOTA: ['quota', 'Quota that each user receives.'],
  CREATED_AT: ['createdAt', 'When the code was created.'],
  USED_COUNT: ['usedCount', 'Users of a gift code. Other codes count 0.'],
};
const RedemptionSort = sortInput('Redemption', sortFields);

@ArgsType()
export class RedemptionListArgs extends listArgs(RedemptionFilterInput, RedemptionSort, 'Default: newest first.') {}

@InputType()
abstract class RedemptionFieldsInput {
  @Field(() => Date, { nullable: true, description: 'Included. Null: no bound.' })
  validFrom?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Excluded. Null: no bound.' })
  validUntil?: Date | null;
}

@InputType('CreateRedemptionsInput', { description: 'Codes to create under one name.' })
export class CreateRedemptionsInput extends RedemptionFieldsInput {
  @Field(() => String, { description: 'Name of the batch, 1 to 20 characters.' })
  batch: string;

  @Field(() => GraphQLQuota, { description: 'Quota each user receives. Above 0.' })
  quota: number;

  @Field(() => Int, { defaultValue: 1, description: 'Number of codes, 1 to 100.' })
  count: number;

  @Field(() => String, { nullable: true, description: 'A custom code, in which case one code is created.' })
  key?: string | null;

  @Field(() => RedemptionKindEnum, { defaultValue: 'ONCE', description: 'How often each code can be used.' })
  kind: RedemptionKind;

  @Field(() => Int, { nullable: true, description: 'For gift codes. Null: unlimited.' })
  maxUses?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Any unique text. A retry with the same key returns the codes of the first call.',
  })
  idempotencyKey?: string | null;
}

@InputType('UpdateRedemptionInput', { description: 'Absent fields stay unchanged.' })
export class UpdateRedemptionInput extends RedemptionFieldsInput {
  @Field(() => Int, { description: '`Redemption.id`.' })
  id: number;

  @Field(() => String, { nullable: true, description: '1 to 20 characters.' })
  batch?: string | null;

  @Field(() => GraphQLQuota, { nullable: true, description: 'Above 0.' })
  quota?: number | null;
}

export const toNewRedemptions = (input: CreateRedemptionsInput): InputOf<NewRedemptions> => ({
  ...toRedemptionFields(input),
  ...pick(input, ['count', 'key', 'maxUses']),
  isGift: input.kind === 'GIFT',
});

export const toRedemptionFields = (
  input: CreateRedemptionsInput | UpdateRedemptionInput,
): InputOf<RedemptionFields> => ({ ...pick(input, ['quota', 'validFrom', 'validUntil']), name: input.batch });

const RedeemRefusalEnum = enumType(
  'RedeemRefusal',
  namesOf(['UNKNOWN', 'DISABLED', 'NOT_YET_VALID', 'EXPIRED', 'USED', 'USED_UP', 'USED_BY_YOU']),
  'Reason why a code cannot be redeemed.',
  {
    UNKNOWN: 'There is no such code.',
    DISABLED: 'An admin disabled the code.',
    NOT_YET_VALID: 'The code is valid from a later time on.',
    EXPIRED: 'The code is not valid any more.',
    USED: 'A user redeemed the code before.',
    USED_UP: 'The gift code reached its maximum uses.',
    USED_BY_YOU: 'The caller has redeemed it before.',
  },
);

@ObjectType('Redeemed', { description: 'The code was redeemed.' })
export class RedeemedObject {
  @Field(() => GraphQLQuota, { description: 'Added to the balance.' })
  quota: number;

  @Field(() => RedemptionKindEnum, { description: 'How often the code can be used.' })
  kind: RedemptionKind;

  @Field(() => Boolean, { description: 'An earlier call with this idempotency key redeemed the code.' })
  replayed: boolean;
}

@ObjectType('RedeemRefused', { description: 'The caller cannot redeem the code.' })
export class RedeemRefusedObject {
  @Field(() => RedeemRefusalEnum, { description: 'The reason, for programs.' })
  code: RedeemRefusal;

  @Field(() => String, { description: 'Human-readable text.' })
  message: string;
}

export const RedeemResult = createUnionType({
  name: 'RedeemResult',
  description: 'What became of a code.',
  types: () => [RedeemedObject, RedeemRefusedObject] as const,
  resolveType: (value) => ('quota' in value ? RedeemedObject : RedeemRefusedObject),
});

export const toRedeemedObject = ({ quota, isGift, replayed }: Redeemed): RedeemedObject => ({
  quota,
  replayed,
  kind: isGift ? 'GIFT' : 'ONCE',
});
