import { createUnionType, ObjectType } from 'type-graphql';
import {
  fields,
  flag,
  float,
  int,
  json,
  moment,
  nullable,
  of,
  quota,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { Cost, NotInPanels } from '../../platform/graphql/access.js';
import { enumType } from '../../platform/graphql/enums.js';
import { pageObject } from '../../platform/graphql/pagination.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import { findProvider, providerOf, providers } from '../../dialects/makers/providers.js';
import type { CostRule } from '../../shared/cost-rule.js';
import { proposedModels } from './channel-catalogue.js';
import {
  ChannelLimitsObject,
  ChannelTimeoutsObject,
  toLimitsObject,
  toTimeoutsObject,
} from './channel-limits.object.js';
import type { ChannelSetting } from './channel-setting.js';
import type { Channel, ChannelStatus } from './channel.entity.js';

export const ProviderEnum = enumType(
  'Provider',
  Object.fromEntries(providers.map(({ enumName, id }) => [enumName, id])),
  'Whose API a channel calls. `ChannelType.label` is its name.',
  Object.fromEntries(
    providers.map(({ enumName, label, defaultBaseUrl, offered }) => [
      enumName,
      [
        `${label}.`,
        ...(defaultBaseUrl ? [`Default address: \`${defaultBaseUrl}\`.`] : []),
        ...(offered ? [] : ['No new channel can have it.']),
      ].join(' '),
    ]),
  ),
);

export const ChannelStatusEnum = enumType(
  'ChannelStatus',
  { ENABLED: 'enabled', DISABLED: 'disabled', AUTO_DISABLED: 'autoDisabled' } satisfies Record<string, ChannelStatus>,
  'Whether a channel serves calls.',
  {
    ENABLED: 'It serves calls.',
    DISABLED: 'By an admin.',
    AUTO_DISABLED: 'By the gateway: `statusReason` says why.',
  },
);

@ObjectType('ChannelType', { description: 'A kind of provider.' })
export class ChannelTypeObject extends fields({
  id: int('Its number in the REST API.'),
  provider: nullable<number>(() => ProviderEnum, 'Null: the number is unknown to this version.'),
  label: text('The name of the provider, as the console shows it.'),
  defaultBaseUrl: text.orNull('Null: a channel of this type names its own.'),
  models: of<readonly string[]>(() => [String], 'Built-in model names, and those that have a list price.'),
}) {}

export function toChannelTypeObject(id: number): ChannelTypeObject {
  const { label, defaultBaseUrl } = providerOf(id);
  const models = proposedModels(id);
  return { id, provider: findProvider(id) && id, label, defaultBaseUrl: defaultBaseUrl || null, models };
}

@ObjectType('ModelMapping', { description: 'Another name for a model at the provider.' })
class ModelMappingObject extends fields({
  from: text('As clients request it.'),
  to: text('As the provider knows it.'),
}) {}

@ObjectType('StatusCodeMapping', { description: 'Another HTTP status for an error of the provider.' })
class StatusCodeMappingObject extends fields({
  from: int('The status that the provider sent.'),
  to: int('The status that counts, and that the client gets.'),
}) {}

@ObjectType('ChannelSetting', { description: 'How the provider is called.' })
export class ChannelSettingObject extends fields({
  forceFormat: flag('Streamed chunks contain only the known fields.'),
  thinkingToContent: flag('Reasoning becomes part of the content, between `<think>` and `</think>`.'),
  nonStreamOnly: flag('The provider cannot stream: streamed calls get the response as one chunk.'),
  proxy: text.orNull('Address with `http`, `https` or `socks5`. Null: none.', NotInPanels()),
  more: nullable<object>(() => GraphQLJSON, 'Settings of other consoles, without effect. Null: none.', NotInPanels()),
}) {}

@ObjectType('ChannelStatusChange', { description: 'The last time the gateway enabled or disabled the channel.' })
class ChannelStatusChangeObject extends fields({
  reason: text('Why the gateway did it, in English.'),
  at: moment('When the gateway did it.'),
}) {}

@ObjectType('ChannelBalance', { description: 'What is left at the provider.' })
class ChannelBalanceObject extends fields({
  amount: float('In the unit of `unit`.'),
  unit: text('ISO 4217 code, or `POINTS`.'),
  at: moment('When it was read.'),
}) {}

@ObjectType('ChannelTest', { description: 'The last test of a channel.' })
class ChannelTestObject extends fields({
  at: moment('When the channel was tested.'),
  milliseconds: int('Duration of the test.'),
  error: text.orNull('Why it failed. Null: it passed.'),
}) {}

@ObjectType('ChannelCost', { description: 'What the calls of a channel cost its operator.' })
class ChannelCostObject
  extends fields({
    factor: float('Times the list price, for models without a card.'),
    cards: of<CostRule['cards']>(() => GraphQLJSON, 'Cost cards by model, or by a prefix that ends with `*`.'),
  })
  implements CostRule {}

@ObjectType('Channel', { description: 'Access to a provider, with the models and groups it serves.' })
export class ChannelObject extends fields({
  id: int('Names the channel in mutations, filters and the log.'),
  name: text('Shown to admins only; several channels may have it.'),
  status: of<ChannelStatus>(() => ChannelStatusEnum, 'Whether it serves calls.'),
  groups: texts('Groups of users whose calls it serves.'),
  models: texts('Models that it serves, without the prefix.'),
  tag: text.orNull('Null: none.'),
  modelPrefix: text.orNull('Clients request its models as prefix and name. Null: none.'),
  autoDisable: flag('The gateway may disable it.'),
  weight: int('Share among channels of the same priority.'),
  priority: int('Channels with a higher priority are tried first.'),
  maxInputTokens: int.orNull('Null: no limit.'),
  ownerId: int.orNull('The only user whose calls it serves. Null: serves all users.'),
  baseUrl: text.orNull('Null: the default of the type.'),
  testModel: text.orNull('Model of the test. Null: the first one.'),
  openaiOrganization: text.orNull('Null: none.'),
  variant: text.orNull('API version, region or plugin, by type. Null: none.'),
  usedQuota: quota('What its calls were charged.'),
  createdAt: moment.orNull('Null: unknown.'),
  type: of<ChannelTypeObject>(() => ChannelTypeObject, 'Whose API the channel calls.', Cost(0)),
  statusReason: nullable<ChannelStatusChangeObject>(
    () => ChannelStatusChangeObject,
    'Why the gateway last changed the status. Null: it never did.',
    Cost(0),
  ),
  modelMapping: of<ModelMappingObject[]>(
    () => [ModelMappingObject],
    'Models that have another name at the provider. Empty: none.',
    Cost(0),
  ),
  statusCodeMapping: of<StatusCodeMappingObject[]>(
    () => [StatusCodeMappingObject],
    'Statuses of errors that count as others. Empty: none.',
    Cost(0),
  ),
  parameters: json.orNull('Merged into requests to the provider. Null: none.', NotInPanels()),
  headers: json.orNull('Changes of the headers of requests. Null: none.', NotInPanels()),
  limits: nullable<ChannelLimitsObject>(() => ChannelLimitsObject, 'Null: none.', Cost(0)),
  timeouts: nullable<ChannelTimeoutsObject>(() => ChannelTimeoutsObject, 'Null: those of the server.', Cost(0)),
  setting: of<ChannelSettingObject>(() => ChannelSettingObject, 'How the provider is called.', Cost(0)),
  cost: of<CostRule>(
    () => ChannelCostObject,
    'What its calls cost the operator, where the provider reports no cost.',
    Cost(0),
  ),
  balance: nullable<ChannelBalanceObject>(() => ChannelBalanceObject, 'Null: never read.', Cost(0)),
  lastTest: nullable<ChannelTestObject>(() => ChannelTestObject, 'Null: never tested.', Cost(0)),
}) {}

const toSettingObject = ({ proxy, chatUpstream, more, ...flags }: ChannelSetting): ChannelSettingObject => ({
  proxy: proxy ?? null,
  forceFormat: flags.forceFormat ?? false,
  thinkingToContent: flags.thinkingToContent ?? false,
  nonStreamOnly: flags.nonStreamOnly ?? false,
  more: chatUpstream ? { ...more, chat_upstream: chatUpstream } : (more ?? null),
});

export function toChannelObject(channel: Channel): ChannelObject {
  const { testedAt, balanceAt, statusChangedAt } = channel;
  return {
    ...channel,
    type: toChannelTypeObject(channel.type),
    statusReason: statusChangedAt && { reason: channel.statusReason, at: statusChangedAt },
    tag: channel.tag || null,
    modelPrefix: channel.modelPrefix || null,
    modelMapping: Object.entries(channel.modelMapping).map(([from, to]) => ({ from, to })),
    statusCodeMapping: Object.entries(channel.statusCodeMapping).map(([from, to]) => ({ from: Number(from), to })),
    baseUrl: channel.baseUrl || null,
    testModel: channel.testModel || null,
    openaiOrganization: channel.openaiOrganization || null,
    variant: channel.other || null,
    limits: toLimitsObject(channel.limits),
    timeouts: toTimeoutsObject(channel.timeouts),
    setting: toSettingObject(channel.setting),
    balance: balanceAt && { amount: channel.balance, unit: providerOf(channel.type).balanceUnit, at: balanceAt },
    lastTest: testedAt && { at: testedAt, milliseconds: channel.responseTime, error: channel.testError || null },
  };
}

export const ChannelPage = pageObject(ChannelObject, 'ChannelPage', 'A page of channels.');

@ObjectType('ChannelTestPassed', { description: 'The provider answered the test call.' })
export class ChannelTestPassedObject extends fields({
  milliseconds: int('Duration of the test.'),
}) {}

@ObjectType('ChannelTestFailed', { description: 'The provider did not answer the test call.' })
export class ChannelTestFailedObject extends fields({
  milliseconds: int('Duration of the test.'),
  message: text('Human-readable text.'),
}) {}

export const ChannelTestResult = createUnionType({
  name: 'ChannelTestResult',
  description: 'How the test of a channel ended.',
  types: () => [ChannelTestPassedObject, ChannelTestFailedObject] as const,
  resolveType: (value) => ('message' in value ? ChannelTestFailedObject : ChannelTestPassedObject),
});

/** The payload of mutations of one channel. */
export const ofChannel = { channel: [() => ChannelObject, 'The channel after the change.'] } as const;
export interface ChannelPayload {
  channel: ChannelObject;
}
