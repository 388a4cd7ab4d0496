import { ArgsType, Field, InputType, Int } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, sortInput } from '../../platform/graphql/pagination.js';
import type { LastTest } from './channel-query.js';
import { ChannelStatusEnum, ProviderEnum } from './channel.object.js';
import type { ChannelFilter, ChannelSortField } from './channel-query.js';

const LastTestEnum = enumType(
  'LastChannelTest',
  { PASSED: 'passed', FAILED: 'failed', NONE: 'none' },
  'How the last test of a channel ended.',
  { PASSED: 'The provider answered.', FAILED: 'It did not.', NONE: 'The channel was not tested.' },
);

@InputType('ChannelFilter', { description: 'Conditions on channels. All must match. An empty list matches nothing.' })
export class ChannelFilterInput {
  @Field(() => [Int], { nullable: true })
  ids?: number[] | null;

  @Field(() => String, { nullable: true, description: 'An id, part of the name, or a whole key.' })
  keyword?: string | null;

  @Field(() => [String], { nullable: true })
  groups?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Whole names, without the prefix of the channel.' })
  models?: string[] | null;

  @Field(() => [ProviderEnum], { nullable: true })
  types?: number[] | null;

  @Field(() => [ChannelStatusEnum], { nullable: true })
  statuses?: number[] | null;

  @Field(() => [String], { nullable: true, description: '`""` matches channels without a tag.' })
  tags?: string[] | null;

  @Field(() => [LastTestEnum], { nullable: true, description: 'How the last test ended.' })
  lastTests?: LastTest[] | null;
}

export const toChannelFilter = (input: ChannelFilterInput | null | undefined): ChannelFilter =>
  omitNullish<ChannelFilter>(input ?? {});

const sortFields: Readonly<Record<string, ChannelSortField>> = {
  ID: 'id',
  NAME: 'name',
  TYPE: 'type',
  TAG: 'tag',
  STATUS: 'status',
  PRIORITY: 'priority',
  WEIGHT: 'weight',
  USED_QUOTA: 'usedQuota',
  CREATED_AT: 'createdTime',
  RESPONSE_TIME: 'responseTime',
  TESTED_AT: 'testTime',
  BALANCE: 'balance',
  BALANCE_AT: 'balanceUpdatedTime',
};
const ChannelSort = sortInput('Channel', sortFields);

@ArgsType()
export class ChannelListArgs extends listArgs(
  ChannelFilterInput,
  ChannelSort,
  'The highest priority first when absent. Channels that passed no test, or were not read, come last.',
) {}
