import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import { GraphQLSafeInt } from '../../../platform/graphql/scalars.js';
import type { FailureKind } from '../../../shared/failure-kind.js';
import { FailureKindEnum } from '../models/model-health.object.js';
import type { ChannelFailure } from './channel-health-counts.js';
import { channelHealthWindows, type ChannelHealth, type ChannelHealthList } from './channel-health.service.js';

export const ChannelHealthWindowEnum = enumType(
  'ChannelHealthWindow',
  namesOf(channelHealthWindows),
  'The time until now.',
  { HOUR: 'The last 60 to 65 minutes.', DAY: 'The running hour, and the 24 hours before it.' },
);

@ObjectType('ChannelFailure', { description: 'Failed attempts of one kind at a channel.' })
class ChannelFailureObject implements ChannelFailure {
  @Field(() => FailureKindEnum, { description: 'Why the attempts failed.' })
  kind: FailureKind;

  @Field(() => GraphQLSafeInt, { description: 'Failed attempts of this kind. A call may try a channel several times.' })
  attempts: number;

  @Field(() => Date, { description: 'The last of them.' })
  lastAt: Date;

  @Field(() => String, { description: 'The model of the last one.' })
  lastModel: string;

  @Field(() => String, {
    description:
      'Message of the last one, without addresses and keys. A refused request: status and code only, unless errors are logged.',
  })
  lastError: string;
}

@ObjectType('ChannelHealth', { description: 'How well a channel served calls.' })
export class ChannelHealthObject implements ChannelHealth {
  @Field(() => Int, { description: '`Channel.id`. Deleted channels are not listed.' })
  channelId: number;

  @Field(() => String, { description: 'The name of the channel now.' })
  channelName: string;

  @Field(() => GraphQLSafeInt, { description: 'Calls that it served.' })
  calls: number;

  @Field(() => GraphQLSafeInt, { description: 'Without requests that the provider refused as such (kind REQUEST).' })
  failedAttempts: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of failed attempts among these and the served calls, 0 to 1. Null: none of both.',
  })
  failureRate: number | null;

  @Field(() => GraphQLSafeInt, { description: 'Failed attempts whose calls another channel served.' })
  rescuedAttempts: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds that half of the served calls took at most, interpolated. Null: none.',
  })
  p50Ms: number | null;

  @Field(() => Int, { nullable: true, description: 'The same of 95 % of the calls.' })
  p95Ms: number | null;

  @Field(() => [ChannelFailureObject], { description: 'By kind, the latest first.' })
  failures: readonly ChannelFailure[];
}

@ObjectType('ChannelHealthList', { description: 'How well channels served calls.' })
export class ChannelHealthListObject implements ChannelHealthList {
  @Field(() => Date, { description: 'The figures cover the time since then.' })
  from: Date;

  @Field(() => [ChannelHealthObject], { description: 'The most failed attempts first.' })
  rows: readonly ChannelHealth[];
}
