import { Field, Float, InputType, Int } from 'type-graphql';
import { inputFields, int, ints, text, texts } from '../../platform/graphql/fields.js';
import { patchOf } from '../../platform/graphql/patch.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import { InvalidInputError } from '../../shared/errors.js';
import { asFields, type Json } from '../../shared/json.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { TagChange } from './channel-bulk.service.js';
import {
  ChannelLimitsObject,
  ChannelTimeoutsObject,
  fromLimitsInput,
  fromTimeoutsInput,
} from './channel-limits.object.js';
import { ChannelStatusEnum, ProviderEnum } from './channel.object.js';
import type { ChannelStatus } from './channel.entity.js';
import type { ChannelInput } from './channel-input.js';
import { settingFields } from './channel-setting.js';

@InputType('ModelMappingInput', { description: 'Another name for a model at the provider.' })
class ModelMappingInput {
  @Field(() => String, { description: 'The model as clients request it.' })
  from: string;

  @Field(() => String, { description: 'The model as the provider knows it.' })
  to: string;
}

@InputType('StatusCodeMappingInput', { description: 'Another HTTP status for an error of the provider.' })
class StatusCodeMappingInput {
  @Field(() => Int, { description: 'The status that the provider sent.' })
  from: number;

  @Field(() => Int, { description: 'The status that counts, and that the client gets.' })
  to: number;
}

@InputType('ChannelSettingInput', { description: 'A whole setting: absent fields are off.' })
class ChannelSettingInput {
  @Field(() => String, { nullable: true, description: 'Address with `http`, `https` or `socks5`.' })
  proxy?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Streamed chunks contain only the known fields.' })
  forceFormat?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Reasoning becomes part of the content, between `<think>` and `</think>`.',
  })
  thinkingToContent?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'The provider cannot stream: streamed calls get the response as one chunk.',
  })
  nonStreamOnly?: boolean | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'A JSON object of further settings.' })
  more?: unknown;
}

@InputType('ChannelCostInput', { description: 'A whole rule: what the calls of a channel cost its operator.' })
export class ChannelCostInput {
  @Field(() => Float, {
    nullable: true,
    description: 'Times the list price, for models without a card. Absent: 1. 0: they cost nothing.',
  })
  factor?: number | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'Cost cards by model, or by a prefix that ends with `*`; in the form of the setting PriceCards.',
  })
  cards?: unknown;
}

@InputType()
abstract class ChannelRoutingInput {
  @Field(() => [String], { nullable: true, description: 'At least one.' })
  groups?: string[] | null;

  @Field(() => [ModelMappingInput], { nullable: true, description: 'The whole mapping. Null: none.' })
  modelMapping?: ModelMappingInput[] | null;

  @Field(() => Int, { nullable: true, description: 'Not below 0.' })
  weight?: number | null;

  @Field(() => Int, { nullable: true, description: 'Channels with a higher priority are tried first.' })
  priority?: number | null;
}

@InputType()
abstract class ChannelFieldsInput extends ChannelRoutingInput {
  @Field(() => String, { nullable: true, description: 'Null: none.' })
  tag?: string | null;

  @Field(() => String, { nullable: true, description: 'At most 64 characters. Null: none.' })
  modelPrefix?: string | null;

  @Field(() => [StatusCodeMappingInput], { nullable: true, description: 'The whole mapping. Null: none.' })
  statusCodeMapping?: StatusCodeMappingInput[] | null;

  @Field(() => Boolean, { nullable: true, description: 'The gateway may disable it.' })
  autoDisable?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Null: no limit.' })
  maxInputTokens?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The only user whose calls it serves, who may name all that its provider keeps. Null: serves all users.',
  })
  ownerId?: number | null;

  @Field(() => String, { nullable: true, description: 'http or https. Null: the default of the type.' })
  baseUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'Null: the first model that fits.' })
  testModel?: string | null;

  @Field(() => String, { nullable: true, description: 'Null: none.' })
  openaiOrganization?: string | null;

  @Field(() => String, { nullable: true, description: 'API version, region or plugin, by type. Null: none.' })
  variant?: string | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description:
      'A JSON object that is merged into requests to the provider. Its `operations` change single fields. Null: none.',
  })
  parameters?: unknown;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description:
      'Headers of requests to the provider by name; null removes one. `operations` change single headers. Null: none.',
  })
  headers?: unknown;

  @Field(() => ChannelCostInput, { nullable: true, description: 'Null: the list price.' })
  cost?: ChannelCostInput | null;

  @Field(() => ChannelLimitsObject, { nullable: true, description: 'Null: none.' })
  limits?: ChannelLimitsObject | null;

  @Field(() => ChannelTimeoutsObject, { nullable: true, description: 'Null: those of the server.' })
  timeouts?: ChannelTimeoutsObject | null;

  @Field(() => ChannelSettingInput, { nullable: true, description: 'Null: none.' })
  setting?: ChannelSettingInput | null;
}

@InputType('CreateChannelInput', {
  description: 'Absent: group `default`, priority and weight 0, `autoDisable` on, and otherwise null.',
})
export class CreateChannelInput extends ChannelFieldsInput {
  @Field(() => String, { description: 'Shown to admins only.' })
  name: string;

  @Field(() => ProviderEnum, { description: 'Whose API the channel calls.' })
  type: number;

  @Field(() => [String], { description: 'One or more. They are used in turn.' })
  keys: string[];

  @Field(() => [String], { description: 'At least one.' })
  models: string[];

  @Field(() => ChannelStatusEnum, {
    defaultValue: ChannelStatusEnum.ENABLED,
    description: 'DISABLED creates a channel that serves no calls yet.',
  })
  status: ChannelStatus;

  @Field(() => String, {
    nullable: true,
    description: 'Of your choice. A retry with the same key returns the channel of the first call.',
  })
  idempotencyKey?: string | null;
}

@InputType('UpdateChannelInput', { description: 'Absent fields stay unchanged.' })
export class UpdateChannelInput extends ChannelFieldsInput {
  @Field(() => Int, { description: '`Channel.id`.' })
  id: number;

  @Field(() => String, { nullable: true, description: 'Shown to admins only. It cannot be cleared.' })
  name?: string | null;

  @Field(() => ProviderEnum, {
    nullable: true,
    description: 'Whose API the channel calls. A change needs CHANNELS_SECRETS, because stored keys are sent there.',
  })
  type?: number | null;

  @Field(() => [String], { nullable: true, description: 'All keys, in place of the stored ones.' })
  keys?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'At least one.' })
  models?: string[] | null;
}

/**
 * Converts the input. Absent fields stay absent; null clears a field.
 * @throws InvalidInputError for null where a channel needs a value, and for lists that cannot be stored
 */
export function toChannelFields(input: CreateChannelInput | UpdateChannelInput): ChannelInput {
  const { id: _id, idempotencyKey: _key, ...given } = input as UpdateChannelInput & CreateChannelInput;
  const patch = patchOf<Required<typeof given>>(given, {
    tag: '',
    modelPrefix: '',
    baseUrl: '',
    testModel: '',
    openaiOrganization: '',
    variant: '',
    modelMapping: [],
    statusCodeMapping: [],
    maxInputTokens: null,
    ownerId: null,
    parameters: null,
    headers: null,
    setting: {},
    cost: null,
    limits: null,
    timeouts: null,
  });
  const { keys, modelMapping, statusCodeMapping, variant, setting, limits, timeouts, ...same } = patch;
  return omitUndefined({
    ...same,
    key: keys && joinKeyList(keys),
    modelMapping: toMapping(modelMapping, 'modelMapping'),
    statusCodeMapping: toMapping(statusCodeMapping, 'statusCodeMapping'),
    other: variant ?? undefined,
    setting: setting && toSettingFields(setting),
    limits: limits && fromLimitsInput(limits),
    timeouts: timeouts && fromTimeoutsInput(timeouts),
  } as ChannelInput);
}

type Pairs = ReadonlyArray<{ readonly from: string | number; readonly to: string | number }> | null | undefined;

/** @throws InvalidInputError for a name that is mapped twice */
function toMapping(pairs: Pairs, field: string): Readonly<Record<string, string | number>> | undefined {
  if (pairs && new Set(pairs.map(({ from }) => from)).size < pairs.length) {
    throw new InvalidInputError('Nothing can be mapped twice', field);
  }
  return pairs ? Object.fromEntries(pairs.map(({ from, to }) => [from, to])) : undefined;
}

/** @throws InvalidInputError when `more` is not an object */
function toSettingFields({ more, ...known }: ChannelSettingInput): Json {
  if (more != null && !asFields(more)) {
    throw new InvalidInputError('setting.more must be a JSON object', 'setting.more');
  }
  return settingFields({ ...known, more: asFields(more) });
}

function joinKeyList(keys: readonly string[]): string {
  if (keys.every((key) => key.trim() === '')) throw new InvalidInputError('Fill in the channel key', 'keys');
  if (keys.length > 1 && keys.some((key) => key.trim().startsWith('{'))) {
    throw new InvalidInputError('A key that is a JSON document must be the only one', 'keys');
  }
  return keys.join('\n');
}

@InputType('UpdateChannelTagInput', { description: 'Absent fields stay as they are in all channels of the tag.' })
export class UpdateChannelTagInput extends ChannelRoutingInput {
  @Field(() => String, { description: 'The whole tag whose channels change.' })
  tag: string;

  @Field(() => String, { nullable: true, description: 'Null removes the tag from its channels.' })
  newTag?: string | null;

  @Field(() => [String], { nullable: true, description: 'At least one.' })
  models?: string[] | null;
}

/** @throws InvalidInputError */
export function toTagChange(input: UpdateChannelTagInput): TagChange {
  const { tag: _tag, ...given } = input;
  const { modelMapping, ...same } = patchOf<Required<typeof given>>(given, { newTag: '', modelMapping: [] });
  return omitUndefined({ ...same, modelMapping: toMapping(modelMapping, 'modelMapping') }) as TagChange;
}

@InputType('UpdateChannelsInput', { description: 'Changes of many channels. Absent fields stay as they are.' })
export class UpdateChannelsInput extends ChannelRoutingInput {
  @Field(() => [Int], { description: '`Channel.id` of the channels that change.' })
  ids: number[];

  @Field(() => [String], { nullable: true, description: 'At least one.' })
  models?: string[] | null;
}

/** @throws InvalidInputError */
export function toChannelsChange(input: UpdateChannelsInput): ChannelInput {
  const { ids: _ids, ...given } = input;
  const { modelMapping, ...same } = patchOf<Required<typeof given>>(given, { modelMapping: [] });
  return omitUndefined({ ...same, modelMapping: toMapping(modelMapping, 'modelMapping') }) as ChannelInput;
}

@InputType('FetchModelsInput', { description: 'A stored channel, or the fields of a new one. Never both.' })
export class FetchModelsInput {
  @Field(() => Int, {
    nullable: true,
    description: '`Channel.id` of a stored channel, whose address and first key are used.',
  })
  id?: number | null;

  @Field(() => ProviderEnum, { nullable: true, description: 'Whose API is asked. OpenAI when absent.' })
  type?: number | null;

  @Field(() => String, { nullable: true, description: 'Address of the provider. The default of the type when absent.' })
  baseUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'A key of the provider. It is not stored.' })
  key?: string | null;
}

const channelId = int('`Channel.id`.');

@InputType({ description: 'The new tag of channels.' })
export class SetChannelTagInput extends inputFields({
  ids: ints('`Channel.id` of the channels.'),
  tag: text.orNull('Absent or null removes the tag they have.'),
}) {}

@InputType({ description: 'A channel, and what it is tested with.' })
export class TestChannelInput extends inputFields({
  id: channelId,
  model: text.orNull('When absent: `testModel`, else the first model that fits.'),
  key: int.orNull('Its position, from 1. When absent, the next one.'),
}) {}

@InputType({ description: 'A channel, and one or all of its keys.' })
export class ClearChannelCooldownsInput extends inputFields({
  id: channelId,
  key: int.orNull('Its position, from 1. All keys when absent.'),
}) {}

@InputType({ description: 'Keys for a channel.' })
export class AddChannelKeysInput extends inputFields({
  id: channelId,
  keys: texts('Keys of the provider. Those that the channel has already are left out.'),
}) {}

@InputType({ description: 'A key of a channel. The last one cannot be removed.' })
export class RemoveChannelKeyInput extends inputFields({
  id: channelId,
  position: int('From 1.'),
  ending: text('As shown by `keys`.'),
}) {}

@InputType({ description: 'The channel to copy, and the name of the new one.' })
export class CopyChannelInput extends inputFields({
  id: int('`Channel.id` of the channel to copy.'),
  name: text('Name of the new channel.'),
  idempotencyKey: text.orNull('A retry with the same key returns the channel of the first call.'),
}) {}
