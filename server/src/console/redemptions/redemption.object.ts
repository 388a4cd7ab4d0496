import { ArgsType, createUnionType, Field, InputType, Int, ObjectType } from 'type-graphql';
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
import {
  listArgs,
  PageInterface,
  pageItems,
  pageObject,
  sortInput,
  type SortFields,
} from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import { pick } from '../../shared/snake-case.js';
import type { Redeemed, RedeemRefusal } from './redeem.service.js';
import type { RedemptionUse } from './redemption-uses.js';
import type { RedemptionStatus } from './redemption.entity.js';
import type { InputOf, NewRedemptions, RedemptionFields } from './redemption-input.js';
import type { RedemptionFilter, RedemptionSortField, RedemptionSums } from './redemption-query.js';
import type { KeyedRedemption } from './redemption-csv.js';

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
export class RedemptionUseObject extends fields({
  userId: int('The user who redeemed the code.'),
  redemptionId: int('`Redemption.id` of the code, which may be deleted.'),
  at: moment('When the code was redeemed.'),
  quota: quota('Added to the balance.'),
}) {}

export const toUseObject = ({ usedAt, ...use }: RedemptionUse): RedemptionUseObject => ({ ...use, at: usedAt });

export const RedemptionUsePage = pageObject(RedemptionUseObject, 'RedemptionUsePage', 'A page of uses of codes.');

@ObjectType('Redemption', { description: 'A code worth quota.' })
export class RedemptionObject extends fields({
  id: int('Names the code in mutations.'),
  batch: text('Name of the batch. Several codes can share it.'),
  status: of<RedemptionStatus>(
    () => RedemptionStatusEnum,
    'Whether the code can be used. One that is no longer valid stays UNUSED.',
  ),
  kind: of<RedemptionKind>(() => RedemptionKindEnum, 'How often the code can be used.'),
  maxUses: int.orNull('Null: a gift code without a limit.'),
  usedCount: int('Users who redeemed the code.'),
  quota: quota('Quota each user receives. Of a code for a plan, its value in statistics.'),
  planId: int.orNull('The plan that it gives. Null: it adds its quota to the balance.'),
  createdById: int('The admin who created it.'),
  createdAt: moment('When the code was created.'),
  validFrom: moment.orNull('Included. Null: no bound.'),
  validUntil: moment.orNull('Excluded. Null: no bound.'),
}) {
  @NotInPanels()
  @Field(() => String, { description: 'The code itself. Hidden from named access tokens without WRITE.' })
  key: string;

  /** The user who redeemed a normal code; null for other codes and before use. */
  redeemedById: number | null;
}

export const toRedemptionObject = ({ redemption, key }: KeyedRedemption): RedemptionObject => ({
  ...pick(redemption, ['id', 'status', 'quota', 'planId', 'createdAt', 'validFrom', 'validUntil']),
  key,
  batch: redemption.name,
  kind: redemption.isGift ? 'GIFT' : 'ONCE',
  maxUses: redemption.isGift ? redemption.maxUses : 1,
  usedCount: redemption.isGift ? redemption.usedCount : Number(redemption.status === 'used'),
  createdById: redemption.userId,
  redeemedById: redemption.usedUserId,
});

@ObjectType('RedemptionSums', { description: 'Totals of all codes that match the filter.' })
export class RedemptionSumsObject
  extends fields({
    codes: safeInt('Codes that match, used ones as well.'),
    unusedQuota: quota('Value of unused, unexpired codes, without unlimited gift codes.'),
    unusedUsd: float('`unusedQuota` in USD, at today’s rate.'),
    usedQuota: quota('Value of redeemed codes.'),
    usedUsd: float('`usedQuota` in USD, at today’s rate.'),
    endlessGifts: safeInt('Number of gift codes without a limit of uses.'),
  })
  implements RedemptionSums {}

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
export class RedemptionFilterInput extends inputFields({
  ids: ints.orNull('Only these codes.'),
  batch: text.orNull('The full name of the batch.'),
  keyword: text.orNull('A prefix of the batch name, an id, or a full code.'),
  statuses: nullable<RedemptionStatus[]>(() => [RedemptionStatusEnum], 'Only codes with one of these statuses.'),
  kind: nullable<RedemptionKind>(() => RedemptionKindEnum, 'Only codes of this kind.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the code was created.'),
}) {}

/** @throws InvalidInputError for an invalid range */
export function toRedemptionFilter(input: RedemptionFilterInput | null | undefined): RedemptionFilter {
  const { batch: name, kind, ...rest } = input ?? {};
  return toFilter<RedemptionFilter>({ ...rest, name, isGift: kind && kind === 'GIFT' }, ['created']);
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
abstract class RedemptionFieldsInput extends inputFields({
  validFrom: moment.orNull('Included. Null: no bound.'),
  validUntil: moment.orNull('Excluded. Null: no bound.'),
}) {}

@InputType('CreateRedemptionsInput', { description: 'Codes to create under one name.' })
export class CreateRedemptionsInput extends inputFields(
  {
    batch: text('Name of the batch, 1 to 20 characters.'),
    quota: quota('Quota each user receives. Above 0.'),
    key: text.orNull('A custom code, in which case one code is created.'),
    planId: int.orNull(
      '`Plan.id` of the plan that the codes give. Their quota is then their value in statistics only.',
    ),
    maxUses: int.orNull('For gift codes. Null: unlimited.'),
    idempotencyKey: text.orNull('Any unique text. A retry with the same key returns the codes of the first call.'),
  },
  RedemptionFieldsInput,
) {
  @Field(() => Int, { defaultValue: 1, description: 'Number of codes, 1 to 10,000.' })
  count: number;

  @Field(() => RedemptionKindEnum, { defaultValue: 'ONCE', description: 'How often each code can be used.' })
  kind: RedemptionKind;
}

@InputType('UpdateRedemptionInput', { description: 'Absent fields stay unchanged.' })
export class UpdateRedemptionInput extends inputFields(
  {
    id: int('`Redemption.id`.'),
    batch: text.orNull('1 to 20 characters.'),
    quota: quota.orNull('Above 0.'),
  },
  RedemptionFieldsInput,
) {}

export const toNewRedemptions = (input: CreateRedemptionsInput): InputOf<NewRedemptions> => ({
  ...toRedemptionFields(input),
  ...pick(input, ['count', 'key', 'maxUses', 'planId']),
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
export class RedeemedObject extends fields({
  quota: quota('Added to the balance. 0 for a code that gives a plan.'),
  plan: text.orNull('Name of the plan that began. Null: the code gives none.'),
  kind: of<RedemptionKind>(() => RedemptionKindEnum, 'How often the code can be used.'),
  replayed: flag('An earlier call with this idempotency key redeemed the code.'),
}) {}

@ObjectType('RedeemRefused', { description: 'The caller cannot redeem the code.' })
export class RedeemRefusedObject extends fields({
  code: of<RedeemRefusal>(() => RedeemRefusalEnum, 'The reason, for programs.'),
  message: text('Human-readable text.'),
}) {}

export const RedeemResult = createUnionType({
  name: 'RedeemResult',
  description: 'What became of a code.',
  types: () => [RedeemedObject, RedeemRefusedObject] as const,
  resolveType: (value) => ('quota' in value ? RedeemedObject : RedeemRefusedObject),
});

export const toRedeemedObject = ({ quota, plan, isGift, replayed }: Redeemed): RedeemedObject => ({
  quota,
  plan,
  replayed,
  kind: isGift ? 'GIFT' : 'ONCE',
});

@InputType({ description: 'A code to redeem.' })
export class RedeemInput extends inputFields({
  key: text('The code itself, as the user got it.'),
  idempotencyKey: text.orNull('A retry with the same key credits nothing and returns the first result.'),
}) {}
