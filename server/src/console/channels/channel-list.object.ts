import { ArgsType, InputType } from 'type-graphql';
import { inputFields, ints, nullable, text, texts } from '../../platform/graphql/fields.js';
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
export class ChannelFilterInput extends inputFields({
  ids: ints.orNull('Only these channels.'),
  keyword: text.orNull('An id, part of the name, or a whole key.'),
  groups: texts.orNull('Only channels that serve one of these groups.'),
  models: texts.orNull('Whole names, without the prefix of the channel.'),
  types: nullable<number[]>(() => [ProviderEnum], 'Only channels of these providers.'),
  statuses: nullable<ChannelStatus[]>(() => [ChannelStatusEnum], 'Only channels with one of these statuses.'),
  tags: texts.orNull('`""` matches channels without a tag.'),
  lastTests: nullable<LastTest[]>(() => [LastTestEnum], 'How the last test ended.'),
}) {}

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
