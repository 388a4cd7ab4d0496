import { Field, Float, InputType, ObjectType } from 'type-graphql';
import { GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import type { LimitSetting, TimeoutSetting } from '../../shared/channel-limits.js';
import { camelKeys, snakeKeys } from '../../shared/snake-case.js';

/* Limits and timeouts of channels. The stored settings, which REST has as JSON texts, have names with underscores. */

const none = { nullable: true } as const;

@ObjectType('ChannelUseLimits', { description: 'How much a channel, or one of its keys, may be used.' })
@InputType('ChannelUseLimitsInput', { description: 'How much a channel, or one of its keys, may be used. Above 0.' })
class ChannelUseLimits {
  @Field(() => GraphQLSafeInt, { ...none, description: 'Calls per minute. Null: no limit.' })
  requestsPerMinute?: number | null;

  @Field(() => GraphQLSafeInt, { ...none, description: 'Model tokens per minute. Null: no limit.' })
  tokensPerMinute?: number | null;

  @Field(() => GraphQLSafeInt, { ...none, description: 'Calls at the same time. Null: no limit.' })
  concurrentCalls?: number | null;

  @Field(() => Float, { ...none, description: 'USD of a UTC day. Null: no limit.' })
  dailyUsd?: number | null;

  @Field(() => Float, { ...none, description: 'USD of a UTC month. Null: no limit.' })
  monthlyUsd?: number | null;
}

@ObjectType('ChannelLimits', { description: 'Limits of the use of a channel.' })
@InputType('ChannelLimitsInput', { description: 'All limits of a channel, in place of the stored ones.' })
export class ChannelLimitsObject {
  @Field(() => ChannelUseLimits, { ...none, description: 'Of all keys together. Null: none.' })
  channel?: ChannelUseLimits | null;

  @Field(() => ChannelUseLimits, { ...none, description: 'Of each key. Null: none.' })
  key?: ChannelUseLimits | null;
}

@ObjectType('ChannelTimeouts', { description: 'How long calls of a channel may take, in seconds.' })
@InputType('ChannelTimeoutsInput', { description: 'All timeouts of a channel, in place of the stored ones. Seconds.' })
export class ChannelTimeoutsObject {
  @Field(() => Float, { ...none, description: 'Until the first byte of the response. Null: that of the server.' })
  firstByteSeconds?: number | null;

  @Field(() => Float, { ...none, description: 'Between two pieces of the response. Null: that of the server.' })
  idleSeconds?: number | null;

  @Field(() => Float, { ...none, description: 'For the whole call. Null: that of the server.' })
  totalSeconds?: number | null;
}

export const toLimitsObject = (setting: LimitSetting | null): ChannelLimitsObject | null =>
  setting && {
    channel: setting.channel ? camelKeys(setting.channel) : null,
    key: setting.key ? camelKeys(setting.key) : null,
  };

export const toTimeoutsObject = (setting: TimeoutSetting | null): ChannelTimeoutsObject | null =>
  setting && camelKeys(setting);

/** The setting of an input, which the service checks. */
export const fromLimitsInput = ({ channel, key }: ChannelLimitsObject): LimitSetting => ({
  ...(channel && { channel: snakeKeys(omitNullish({ ...channel })) }),
  ...(key && { key: snakeKeys(omitNullish({ ...key })) }),
});

export const fromTimeoutsInput = (input: ChannelTimeoutsObject): TimeoutSetting => snakeKeys(omitNullish({ ...input }));
