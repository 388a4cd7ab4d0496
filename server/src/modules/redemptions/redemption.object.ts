import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { Redeemed } from './redeem.service.js';
import type { Redemption } from './redemption.entity.js';
import type { KeyedRedemption, NewRedemptions, RedemptionFields, RedemptionFilter } from './redemption.service.js';

/** Unix seconds in the row, dates here. */
type Times = 'createdTime' | 'redeemedTime' | 'validFrom' | 'validUntil';
type Shown = Omit<Redemption, 'keyHash' | 'keySealed' | 'deletedAt' | Times> & Record<Times, Date | null>;

@ObjectType('Redemption', { description: 'A code worth quota.' })
export class RedemptionObject implements Shown {
  @Field(() => Int)
  id: number;

  @Field(() => Int, { description: 'The admin who made it.' })
  userId: number;

  @Field(() => String, { description: 'The code itself.' })
  key: string;

  @Field(() => Int, { description: '1 unused, 2 disabled, 3 used up.' })
  status: number;

  @Field(() => String)
  name: string;

  @Field(() => GraphQLSafeInt)
  quota: number;

  @Field(() => Date, { nullable: true })
  createdTime: Date | null;

  @Field(() => Date, { nullable: true, description: 'Of a normal code.' })
  redeemedTime: Date | null;

  @Field(() => Date, { nullable: true, description: 'Included; null: no bound.' })
  validFrom: Date | null;

  @Field(() => Date, { nullable: true, description: 'Included; null: no bound.' })
  validUntil: Date | null;

  @Field(() => Int, { description: 'Of a normal code; 0 nobody.' })
  usedUserId: number;

  @Field(() => Boolean, { description: 'For many users, once for each.' })
  isGift: boolean;

  @Field(() => Int, { description: 'Of a gift; -1 without end.' })
  maxUses: number;

  @Field(() => Int, { description: 'Of a gift.' })
  usedCount: number;
}

const toDate = (seconds: number): Date | null => (seconds === 0 ? null : new Date(seconds * 1000));

export const toRedemptionObject = ({ redemption, key }: KeyedRedemption): RedemptionObject => ({
  id: redemption.id,
  userId: redemption.userId,
  key,
  status: redemption.status,
  name: redemption.name,
  quota: redemption.quota,
  createdTime: toDate(redemption.createdTime),
  redeemedTime: toDate(redemption.redeemedTime),
  validFrom: toDate(redemption.validFrom),
  validUntil: toDate(redemption.validUntil),
  usedUserId: redemption.usedUserId,
  isGift: redemption.isGift,
  maxUses: redemption.maxUses,
  usedCount: redemption.usedCount,
});

export const RedemptionPage = pageType(RedemptionObject, 'RedemptionPage');

@ObjectType('RedeemedCode')
export class RedeemedObject implements Redeemed {
  @Field(() => GraphQLSafeInt, { description: 'What was added to the balance.' })
  quota: number;

  @Field(() => Boolean)
  isGift: boolean;
}

@InputType('RedemptionFilter')
export class RedemptionFilterInput implements Nullable<RedemptionFilter> {
  @Field(() => String, { nullable: true, description: 'The beginning of the name, an id, or a whole code.' })
  keyword?: string | null;

  @Field(() => Int, { nullable: true })
  status?: number | null;

  @Field(() => Boolean, { nullable: true })
  isGift?: boolean | null;
}

@ArgsType()
export class RedemptionListArgs extends PageArgs {
  @Field(() => RedemptionFilterInput, { nullable: true })
  filter?: RedemptionFilterInput | null;
}

type Window = 'validFrom' | 'validUntil';
type Dated<Fields> = Omit<Fields, Window> & Record<Window, Date>;

@InputType('RedemptionInput')
export class RedemptionInputObject implements Nullable<Dated<NewRedemptions>> {
  @Field(() => String, { description: '1 to 20 characters.' })
  name: string;

  @Field(() => GraphQLSafeInt)
  quota: number;

  @Field(() => Int, { nullable: true, description: 'How many, 1 to 100; 1 when absent.' })
  count?: number | null;

  @Field(() => String, { nullable: true, description: 'A code of one’s own choosing; then there is one.' })
  key?: string | null;

  @Field(() => Boolean, { nullable: true })
  isGift?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Of a gift; -1 without end.' })
  maxUses?: number | null;

  @Field(() => Date, { nullable: true })
  validFrom?: Date | null;

  @Field(() => Date, { nullable: true })
  validUntil?: Date | null;
}

@InputType('RedemptionPatch', { description: 'Absent fields stay as they are.' })
export class RedemptionPatchInput implements Nullable<Dated<RedemptionFields>> {
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => GraphQLSafeInt, { nullable: true })
  quota?: number | null;

  @Field(() => Date, { nullable: true, description: 'Null: no bound.' })
  validFrom?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Null: no bound.' })
  validUntil?: Date | null;
}

export const toNewRedemptions = ({
  validFrom,
  validUntil,
  ...rest
}: RedemptionInputObject): Partial<NewRedemptions> => ({
  count: 1,
  ...omitNullish<Omit<NewRedemptions, Window>>(rest),
  ...toWindow({ validFrom, validUntil }),
});

export const toRedemptionFields = ({
  validFrom,
  validUntil,
  ...rest
}: RedemptionPatchInput): Partial<RedemptionFields> => ({
  ...omitNullish<Omit<RedemptionFields, Window>>(rest),
  ...toWindow({ validFrom, validUntil }),
});

/** A bound that is null is no bound; here alone null is a value. */
const toWindow = ({ validFrom, validUntil }: Nullable<Record<Window, Date>>): Partial<Record<Window, number>> =>
  omitUndefined({ validFrom: toSeconds(validFrom), validUntil: toSeconds(validUntil) });

function toSeconds(date: Date | null | undefined): number | undefined {
  if (date === null) return 0;
  return date && Math.floor(date.getTime() / 1000);
}
