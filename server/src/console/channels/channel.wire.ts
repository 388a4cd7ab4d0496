import { z } from 'zod';
import { providerOf } from '../../dialects/makers/providers.js';
import { int, named, nullish, quota, seconds, text, type Wire } from '../../platform/http/openapi/operation.js';
import { nameSeparator } from '../../shared/comma-list.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { asFields, parseJson } from '../../shared/json.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { camelKeys, pick, snakeKeys } from '../../shared/snake-case.js';
import type { TagChange } from './channel-bulk.service.js';
import { ownerOf } from './channel-catalogue.js';
import { channelStatuses, statusNumber, type Channel } from './channel.entity.js';
import type { ChannelInput } from './channel-input.js';
import { readJson } from './channel-json.js';
import { settingFields } from './channel-setting.js';
import { modelPermission } from '../../shared/model-permission.js';

/** The fields that clients send. */
const bodyShape = {
  type: nullish.whole,
  name: nullish.text,
  key: nullish.text,
  status: nullish.whole,
  openai_organization: nullish.text,
  test_model: nullish.text,
  weight: nullish.whole,
  priority: nullish.whole,
  base_url: nullish.text,
  other: nullish.text,
  models: nullish.text,
  group: nullish.text,
  model_mapping: nullish.text,
  status_code_mapping: nullish.text,
  auto_ban: nullish.whole,
  tag: nullish.text,
  setting: nullish.text,
  param_override: nullish.text,
  header_override: nullish.text,
  limits: nullish.text,
  timeouts: nullish.text,
  model_prefix: nullish.text,
  max_input_tokens: nullish.whole,
  owner_id: nullish.whole,
};

/** `POST /api/channel/`. Zero means the default for fields that have one. */
export const createBody = z.object(bodyShape).transform((body) =>
  toFields({
    ...body,
    type: body.type || undefined,
    status: body.status || undefined,
    auto_ban: body.auto_ban ?? undefined,
  }),
);

const oneBody = createBody.transform((channel) => [channel]);

const maxBatch = 1000;

/**
 * The body of clients of new-api, which wrap the channel. The mode `batch` creates a channel for each key, in the other
 * modes all keys belong to one channel.
 * @throws InvalidInputError for more than 1,000 keys
 */
const wrappedBody = z
  .object({
    mode: z.enum(['single', 'batch', 'multi_to_single']).nullish(),
    batch_add_set_key_prefix_2_name: nullish.flag,
    channel: z.record(z.string(), z.unknown()),
  })
  .transform(({ mode, channel, batch_add_set_key_prefix_2_name: named }) => {
    const { key, name, type } = channel;
    if (mode !== 'batch' || typeof key !== 'string') return [createBody.parse(channel)];
    const keys = batchKeys(key, typeof type === 'number' ? type : 0);
    if (keys.length > maxBatch) throw new InvalidInputError(`A batch can have at most ${maxBatch} keys`, 'keys');
    if (keys.length <= 1) return [createBody.parse(channel)];
    const nameOf = (each: string): string => `${typeof name === 'string' ? name : ''} ${each.slice(0, 8)}`;
    return keys.map((each) => createBody.parse({ ...channel, key: each, ...(named ? { name: nameOf(each) } : {}) }));
  });

/** Returns the schema of this body of `POST /api/channel/`. */
export const newChannelsBody = (body: unknown) => (asFields(asFields(body)?.['channel']) ? wrappedBody : oneBody);

/** Splits keys, one per line. Keys that are documents, such as those of Vertex, come as a JSON array. */
function batchKeys(text: string, type: number): string[] {
  const lines = text.split('\n');
  const documents: unknown = providerOf(type).keyForm === 'document' ? parseJson(text) : null;
  const keys = Array.isArray(documents)
    ? documents.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
    : lines;
  return keys.map((each) => each.trim()).filter(Boolean);
}

/** `PUT /api/channel/`. Zero values of fields that cannot be cleared mean no change; null always does. */
export const updateBody = z.object({ ...bodyShape, id: z.int() }).transform(({ id, ...body }) => ({
  id,
  fields: toFields({
    ...body,
    type: body.type || undefined,
    name: body.name || undefined,
    key: body.key || undefined,
    status: body.status || undefined,
    other: body.other || undefined,
    models: body.models || undefined,
    group: body.group || undefined,
  }),
}));

export const idsBody = z.object({ ids: z.array(z.int()).nullish() }).transform(({ ids }) => ids ?? []);

export const batchTagBody = z
  .object({ ids: z.array(z.int()).nullish(), tag: nullish.text })
  .transform(({ ids, tag }) => ({ ids: ids ?? [], tag: tag ?? '' }));

export const tagBody = z.object({ tag: nullish.text }).transform(({ tag }) => tag ?? '');

/** `PUT /api/channel/tag`. Empty lists and mappings mean no change; an empty `new_tag` removes the tag. */
export const tagEditBody = z
  .object({
    tag: nullish.text,
    new_tag: nullish.text,
    priority: nullish.whole,
    weight: nullish.whole,
    model_mapping: nullish.text,
    models: nullish.text,
    groups: nullish.text,
  })
  .transform(({ tag, new_tag, priority, weight, model_mapping, models, groups }) => {
    const change: TagChange = {
      newTag: new_tag ?? undefined,
      priority: priority ?? undefined,
      weight: weight ?? undefined,
      modelMapping: jsonOf(model_mapping || undefined, 'modelMapping'),
      models: listOf(models || undefined),
      groups: listOf(groups || undefined),
    };
    return { tag: tag ?? '', change: omitUndefined(change) };
  });

/** `POST /api/channel/fetch_models`. Only the first line of the key is used. */
export const discoverBody = z
  .object({ base_url: nullish.text, type: nullish.whole, key: nullish.text })
  .transform(({ base_url, type, key }) => ({ baseUrl: base_url ?? '', type: type ?? 1, key: key ?? '' }));

/** Fields that services have under the same name, in camel case. */
const sameFields = [
  ...(['type', 'name', 'key', 'openai_organization', 'test_model', 'weight', 'priority', 'base_url', 'other'] as const),
  ...(['tag', 'model_prefix', 'max_input_tokens', 'owner_id'] as const),
];

type Body = { readonly [Key in keyof typeof bodyShape]?: z.output<(typeof bodyShape)[Key]> };

function toFields(body: Body): ChannelInput {
  return omitUndefined({
    ...camelKeys(pick(body, sameFields)),
    status: body.status == null ? undefined : channelStatuses[fromWhole(body.status, 'status', 1, 3) - 1],
    models: listOf(body.models),
    groups: listOf(body.group),
    modelMapping: jsonOf(body.model_mapping, 'modelMapping'),
    statusCodeMapping: jsonOf(body.status_code_mapping, 'statusCodeMapping'),
    autoDisable: body.auto_ban == null ? undefined : fromWhole(body.auto_ban, 'autoBan', 0, 1) === 1,
    setting: jsonOf(body.setting, 'setting'),
    parameters: jsonOf(body.param_override, 'parameters'),
    headers: jsonOf(body.header_override, 'headers'),
    limits: jsonOf(body.limits, 'limits'),
    timeouts: jsonOf(body.timeouts, 'timeouts'),
  });
}

const listOf = (names: string | null | undefined): string[] | undefined => names?.split(nameSeparator);

/** @throws InvalidInputError */
function fromWhole(value: number, field: string, low: number, high: number): number {
  if (value >= low && value <= high) return value;
  throw new InvalidInputError(`${field} must be a whole number from ${low} to ${high}`, field);
}

/** @returns undefined for a field that is absent; null clears it */
const jsonOf = (text: string | null | undefined, field: Parameters<typeof readJson>[1]): unknown =>
  text == null ? undefined : readJson(text, field);

const textOf = (value: object | null): string => (value ? JSON.stringify(value) : '');
/** An object without members is unset. */
const mapText = (value: object): string => (Object.keys(value).length > 0 ? JSON.stringify(value) : '');

/** Older consoles write status codes as texts. */
const codesOf = (mapping: Channel['statusCodeMapping']): Record<string, string> =>
  Object.fromEntries(Object.entries(mapping).map(([from, to]) => [from, String(to)]));

/** Returns `other_info`: why and when the server changed the status last. */
const otherInfoOf = ({ statusReason, statusChangedAt }: Channel): string =>
  statusChangedAt ? JSON.stringify({ status_reason: statusReason, status_time: unixSeconds(statusChangedAt) }) : '';

export const channelShape = named('Channel', 'A connection to a provider.', {
  id: int('Id'),
  type: int('Number of the provider, 1 by default'),
  key: text('Required. One key, or several separated by commas or lines. Empty in lists'),
  openai_organization: text('Organization at OpenAI, or empty'),
  test_model: text('Model of tests; empty for the first one'),
  status: int('1 enabled, 2 disabled by an admin, 3 disabled automatically'),
  name: text('Required'),
  weight: int('Share of the calls of its tier'),
  created_time: seconds('Created'),
  test_time: seconds('Last test'),
  response_time: int('Duration of the last test, in milliseconds'),
  base_url: text("Address; empty for the provider's"),
  other: text('API version, region, plugin or id, by provider'),
  balance: z.number().describe('Balance that the provider reported, in its currency'),
  balance_updated_time: seconds('Balance read'),
  models: text('Model names, separated by commas. At least one'),
  group: text('Groups, separated by commas. `default` by default'),
  used_quota: quota('Charged for calls of this channel'),
  model_mapping: text('JSON text: model that a client asks for → model of the provider'),
  status_code_mapping: text('JSON text: status of the provider → status for clients'),
  priority: int('Tier: the highest is used first'),
  auto_ban: int('1, the default: may be disabled automatically'),
  other_info: text('JSON text after an automatic change: `status_reason`, `status_time`'),
  tag: text('Tag, or empty'),
  setting: text('JSON text of the settings of this channel'),
  param_override: text('JSON text of changes to request bodies'),
  header_override: text('JSON text of changes to request headers'),
  limits: text('JSON text of limits'),
  timeouts: text('JSON text of timeouts'),
  model_prefix: text('Models are offered with this prefix of at most 64 characters'),
  max_input_tokens: int('Stored for clients'),
  owner_id: int('Id of the only user whose calls it serves, who must exist; 0: all users'),
  expired_time: int('Always 0'),
});

const sameColumns = [
  ...(['id', 'type', 'openaiOrganization', 'testModel', 'name', 'weight', 'responseTime', 'baseUrl', 'other'] as const),
  ...(['balance', 'usedQuota', 'priority', 'tag', 'modelPrefix'] as const),
];

/**
 * Returns a channel in the REST form.
 * @param key in plain text for the detail endpoint, empty everywhere else
 */
export function toWire(channel: Channel, key = ''): Wire<typeof channelShape> {
  return {
    ...snakeKeys(pick(channel, sameColumns)),
    key,
    status: statusNumber(channel.status),
    created_time: secondsOrZero(channel.createdAt),
    test_time: secondsOrZero(channel.testedAt),
    balance_updated_time: secondsOrZero(channel.balanceAt),
    models: channel.models.join(),
    group: channel.groups.join(),
    model_mapping: mapText(channel.modelMapping),
    status_code_mapping: mapText(codesOf(channel.statusCodeMapping)),
    auto_ban: Number(channel.autoDisable),
    other_info: otherInfoOf(channel),
    setting: mapText(settingFields(channel.setting)),
    param_override: textOf(channel.parameters),
    header_override: textOf(channel.headers),
    limits: textOf(channel.limits),
    timeouts: textOf(channel.timeouts),
    max_input_tokens: channel.maxInputTokens ?? 0,
    owner_id: channel.ownerId ?? 0,
    expired_time: 0,
  };
}

export const modelShape = named('Model', 'A model as OpenAI lists it.', {
  id: text('Name'),
  object: z.literal('model'),
  created: int('A constant'),
  owned_by: text('Provider in whose built-in list the model is'),
  permission: z.array(z.record(z.string(), z.unknown())),
  root: text('Name'),
  parent: z.null(),
});

/** Returns a model in OpenAI's form (docs/reference/relay/routes.md#model-lists). */
export function toModelWire(model: string): Wire<typeof modelShape> {
  return {
    id: model,
    object: 'model',
    created: 1626777600,
    owned_by: ownerOf(model),
    permission: [modelPermission],
    root: model,
    parent: null,
  };
}

/** A few routes of channels respond without `message`. */
export const noMessage = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data });
export const withoutMessage = <Data>(data: Data) => ({ success: true, data }) as const;
