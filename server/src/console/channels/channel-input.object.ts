import { Field, InputType } from 'type-graphql';
import { flag, float, inputFields, int, ints, json, nullable, of, text, texts } from '../../platform/graphql/fields.js';
import { patchOf } from '../../platform/graphql/patch.js';
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
class ModelMappingInput extends inputFields({
  from: text('The model as clients request it.'),
  to: text('The model as the provider knows it.'),
}) {}

@InputType('StatusCodeMappingInput', { description: 'Another HTTP status for an error of the provider.' })
class StatusCodeMappingInput extends inputFields({
  from: int('The status that the provider sent.'),
  to: int('The status that counts, and that the client gets.'),
}) {}

@InputType('ChannelSettingInput', { description: 'A whole setting: absent fields are off.' })
class ChannelSettingInput extends inputFields({
  proxy: text.orNull('Address with `http`, `https` or `socks5`.'),
  forceFormat: flag.orNull('Streamed chunks contain only the known fields.'),
  thinkingToContent: flag.orNull('Reasoning becomes part of the content, between `<think>` and `</think>`.'),
  nonStreamOnly: flag.orNull('The provider cannot stream: streamed calls get the response as one chunk.'),
  more: json.orNull('A JSON object of further settings.'),
}) {}

@InputType('ChannelCostInput', { description: 'A whole rule: what the calls of a channel cost its operator.' })
export class ChannelCostInput extends inputFields({
  factor: float.orNull('Times the list price, for models without a card. Absent: 1. 0: they cost nothing.'),
  cards: json.orNull('Cost cards by model, or by a prefix that ends with `*`; in the form of the setting PriceCards.'),
}) {}

@InputType()
abstract class ChannelRoutingInput extends inputFields({
  groups: texts.orNull('At least one.'),
  modelMapping: nullable<ModelMappingInput[]>(() => [ModelMappingInput], 'The whole mapping. Null: none.'),
  weight: int.orNull('Not below 0.'),
  priority: int.orNull('Channels with a higher priority are tried first.'),
}) {}

@InputType()
abstract class ChannelFieldsInput extends inputFields(
  {
    tag: text.orNull('Null: none.'),
    modelPrefix: text.orNull('At most 64 characters. Null: none.'),
    statusCodeMapping: nullable<StatusCodeMappingInput[]>(
      () => [StatusCodeMappingInput],
      'The whole mapping. Null: none.',
    ),
    autoDisable: flag.orNull('The gateway may disable it.'),
    maxInputTokens: int.orNull('Null: no limit.'),
    ownerId: int.orNull(
      'The only user whose calls it serves, who may name all that its provider keeps. Null: serves all users.',
    ),
    baseUrl: text.orNull('http or https. Null: the default of the type.'),
    testModel: text.orNull('Null: the first model that fits.'),
    openaiOrganization: text.orNull('Null: none.'),
    variant: text.orNull('API version, region or plugin, by type. Null: none.'),
    parameters: json.orNull(
      'A JSON object that is merged into requests to the provider. Its `operations` change single fields. Null: none.',
    ),
    headers: json.orNull(
      'Headers of requests to the provider by name; null removes one. `operations` change single headers. Null: none.',
    ),
    cost: nullable<ChannelCostInput>(() => ChannelCostInput, 'Null: the list price.'),
    limits: nullable<ChannelLimitsObject>(() => ChannelLimitsObject, 'Null: none.'),
    timeouts: nullable<ChannelTimeoutsObject>(() => ChannelTimeoutsObject, 'Null: those of the server.'),
    setting: nullable<ChannelSettingInput>(() => ChannelSettingInput, 'Null: none.'),
  },
  ChannelRoutingInput,
) {}

@InputType('CreateChannelInput', {
  description: 'Absent: group `default`, priority and weight 0, `autoDisable` on, and otherwise null.',
})
export class CreateChannelInput extends inputFields(
  {
    name: text('Shown to admins only.'),
    type: of<number>(() => ProviderEnum, 'Whose API the channel calls.'),
    keys: texts('One or more. They are used in turn.'),
    models: texts('At least one.'),
    idempotencyKey: text.orNull('Of your choice. A retry with the same key returns the channel of the first call.'),
  },
  ChannelFieldsInput,
) {
  @Field(() => ChannelStatusEnum, {
    defaultValue: ChannelStatusEnum.ENABLED,
    description: 'DISABLED creates a channel that serves no calls yet.',
  })
  status: ChannelStatus;
}

@InputType('UpdateChannelInput', { description: 'Absent fields stay unchanged.' })
export class UpdateChannelInput extends inputFields(
  {
    id: int('`Channel.id`.'),
    name: text.orNull('Shown to admins only. It cannot be cleared.'),
    type: nullable<number>(
      () => ProviderEnum,
      'Whose API the channel calls. A change needs CHANNELS_SECRETS, because stored keys are sent there.',
    ),
    keys: texts.orNull('All keys, in place of the stored ones.'),
    models: texts.orNull('At least one.'),
  },
  ChannelFieldsInput,
) {}

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
export class UpdateChannelTagInput extends inputFields(
  {
    tag: text('The whole tag whose channels change.'),
    newTag: text.orNull('Null removes the tag from its channels.'),
    models: texts.orNull('At least one.'),
  },
  ChannelRoutingInput,
) {}

/** @throws InvalidInputError */
export function toTagChange(input: UpdateChannelTagInput): TagChange {
  const { tag: _tag, ...given } = input;
  const { modelMapping, ...same } = patchOf<Required<typeof given>>(given, { newTag: '', modelMapping: [] });
  return omitUndefined({ ...same, modelMapping: toMapping(modelMapping, 'modelMapping') }) as TagChange;
}

@InputType('UpdateChannelsInput', { description: 'Changes of many channels. Absent fields stay as they are.' })
export class UpdateChannelsInput extends inputFields(
  {
    ids: ints('`Channel.id` of the channels that change.'),
    models: texts.orNull('At least one.'),
  },
  ChannelRoutingInput,
) {}

/** @throws InvalidInputError */
export function toChannelsChange(input: UpdateChannelsInput): ChannelInput {
  const { ids: _ids, ...given } = input;
  const { modelMapping, ...same } = patchOf<Required<typeof given>>(given, { modelMapping: [] });
  return omitUndefined({ ...same, modelMapping: toMapping(modelMapping, 'modelMapping') }) as ChannelInput;
}

@InputType('FetchModelsInput', { description: 'A stored channel, or the fields of a new one. Never both.' })
export class FetchModelsInput extends inputFields({
  id: int.orNull('`Channel.id` of a stored channel, whose address and first key are used.'),
  type: nullable<number>(() => ProviderEnum, 'Whose API is asked. OpenAI when absent.'),
  baseUrl: text.orNull('Address of the provider. The default of the type when absent.'),
  key: text.orNull('A key of the provider. It is not stored.'),
}) {}

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
