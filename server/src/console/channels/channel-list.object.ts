import { ArgsType, Field, InputType, Int } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import type { LastTest } from './channel-query.js';
import type { ChannelStatus } from './channel.entity.js';
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
  @Field(() => [Int], { nullable: true, description: 'Only these channels.' })
  ids?: number[] | null;

  @Field(() => String, { nullable: true, description: 'An id, part of the name, or a whole key.' })
  keyword?: string | null;

  @Field(() => [String], { nullable: true, description: 'Only channels that serve one of these groups.' })
  groups?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Whole names, without the prefix of the channel.' })
  models?: string[] | null;

  @Field(() => [ProviderEnum], { nullable: true, description: 'Only channels of these providers.' })
  types?: number[] | null;

  @Field(() => [ChannelStatusEnum], { nullable: true, description: 'Only channels with one of these statuses.' })
  statuses?: ChannelStatus[] | null;

  @Field(() => [String], { nullable: true, description: '`""` matches channels without a tag.' })
  tags?: string[] | null;

  @Field(() => [LastTestEnum], { nullable: true, description: 'How the last test ended.' })
  lastTests?: LastTest[] | null;
}

export const toChannelFilter = (input: ChannelFilterInput | null | undefined): ChannelFilter =>
  omitNullish<ChannelFilter>(input ?? {});

const sortFields: SortFields<ChannelSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  NAME: ['name', 'The name.'],
  TYPE: ['type', 'The number of the type: `ChannelType.id`.'],
  TAG: ['tag', 'The tag. Channels without one have an empty tag.'],
  STATUS: ['status', 'Enabled, then disabled by an admin, then by the gateway.'],
  PRIORITY: ['priority', 'The priority.'],
  WEIGHT: ['weight', 'The weight.'],
  USED_QUOTA: ['usedQuota', 'Quota that its calls were charged.'],
  CREATED_AT: ['createdAt', 'When the channel was created.'],
  RESPONSE_TIME: ['responseTime', 'Duration of the last test. Channels that passed no test have none.'],
  TESTED_AT: ['testedAt', 'When the channel was tested last.'],
  BALANCE: ['balance', 'The amount of the balance, whatever its unit is.'],
  BALANCE_AT: ['balanceAt', 'When the balance was read last.'],
};
const ChannelSort = sortInput('Channel', sortFields);

@ArgsType()
export class ChannelListArgs extends listArgs(
  ChannelFilterInput,
  ChannelSort,
  'The highest priority first when absent. Channels that passed no test, or were not read, come last.',
) {}
