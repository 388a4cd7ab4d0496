import { z } from 'zod';
import { providerOf } from '../../dialects/providers/providers.js';
import { unixSeconds } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { asFields, parseJson } from '../../shared/json.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { TagChange } from './channel-bulk.service.js';
import { ownerOf } from './channel-catalogue.js';
import { channelStatuses, type Channel } from './channel.entity.js';
import type { ChannelInput } from './channel-input.js';
import { readJson } from './channel-json.js';
import { settingFields } from './channel-setting.js';
import { modelPermission } from '../../shared/model-permission.js';

const text = z.string().nullish();
const whole = z.int().nullish();

const channelShape = {
  type: whole,
  name: text,
  key: text,
  status: whole,
  openai_organization: text,
  test_model: text,
  weight: whole,
  priority: whole,
  base_url: text,
  other: text,
  models: text,
  group: text,
  model_mapping: text,
  status_code_mapping: text,
  auto_ban: whole,
  tag: text,
  setting: text,
  param_override: text,
  header_override: text,
  limits: text,
  timeouts: text,
  model_prefix: text,
  max_input_tokens: whole,
  owner_id: whole,
};

/** `POST /api/channel/`. Zero means the default for fields that have one. */
export const createBody = z.object(channelShape).transform((body) =>
  toFields({
    ...body,
    type: body.type || undefined,
    status: body.status || undefined,
    auto_ban: body.auto_ban ?? undefined,
  }),
);

const wrapped = z.object({
  mode: z.enum(['single', 'batch', 'multi_to_single']).nullish(),
  batch_add_set_key_prefix_2_name: z.boolean().nullish(),
  channel: z.record(z.string(), z.unknown()),
});
const maxBatch = 1000;

/**
 * Splits the body of `POST /api/channel/` into the channels to create. Clients of new-api wrap the channel: `{ mode,
 * channel }`. The mode `batch` creates a channel for each key, in the other modes all keys belong to one channel.
 * @throws InvalidInputError for more than 1,000 keys
 */
export function channelsOf(body: unknown): unknown[] {
  if (!asFields(asFields(body)?.['channel'])) return [body];
  const { mode, channel, batch_add_set_key_prefix_2_name: named } = wrapped.parse(body);
  const { key, name, type } = channel;
  if (mode !== 'batch' || typeof key !== 'string') return [channel];
  const keys = batchKeys(key, typeof type === 'number' ? type : 0);
  if (keys.length > maxBatch) throw new InvalidInputError(`A batch can have at most ${maxBatch} keys`, 'keys');
  if (keys.length <= 1) return [channel];
  const nameOf = (each: string): string => `${typeof name === 'string' ? name : ''} ${each.slice(0, 8)}`;
  return keys.map((each) => ({ ...channel, key: each, ...(named ? { name: nameOf(each) } : {}) }));
}

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
export const updateBody = z.object({ ...channelShape, id: z.int() }).transform(({ id, ...body }) => ({
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
  .object({ ids: z.array(z.int()).nullish(), tag: text })
  .transform(({ ids, tag }) => ({ ids: ids ?? [], tag: tag ?? '' }));

export const tagBody = z.object({ tag: text }).transform(({ tag }) => tag ?? '');

/** `PUT /api/channel/tag`. Empty lists and mappings mean no change; an empty `new_tag` removes the tag. */
export const tagEditBody = z
  .object({
    tag: text,
    new_tag: text,
    priority: whole,
    weight: whole,
    model_mapping: text,
    models: text,
    groups: text,
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
  .object({ base_url: text, type: whole, key: text })
  .transform(({ base_url, type, key }) => ({ baseUrl: base_url ?? '', type: type ?? 1, key: key ?? '' }));

type Body = { readonly [Key in keyof typeof channelShape]?: z.output<(typeof channelShape)[Key]> };

function toFields(body: Body): ChannelInput {
  return omitUndefined({
    type: body.type ?? undefined,
    name: body.name ?? undefined,
    key: body.key ?? undefined,
    status: body.status == null ? undefined : channelStatuses[fromWhole(body.status, 'status', 1, 3) - 1],
    openaiOrganization: body.openai_organization ?? undefined,
    testModel: body.test_model ?? undefined,
    weight: body.weight ?? undefined,
    priority: body.priority ?? undefined,
    baseUrl: body.base_url ?? undefined,
    other: body.other ?? undefined,
    models: listOf(body.models),
    groups: listOf(body.group),
    modelMapping: jsonOf(body.model_mapping, 'modelMapping'),
    statusCodeMapping: jsonOf(body.status_code_mapping, 'statusCodeMapping'),
    autoDisable: body.auto_ban == null ? undefined : fromWhole(body.auto_ban, 'autoBan', 0, 1) === 1,
    tag: body.tag ?? undefined,
    setting: jsonOf(body.setting, 'setting'),
    parameters: jsonOf(body.param_override, 'parameters'),
    headers: jsonOf(body.header_override, 'headers'),
    limits: jsonOf(body.limits, 'limits'),
    timeouts: jsonOf(body.timeouts, 'timeouts'),
    modelPrefix: body.model_prefix ?? undefined,
    maxInputTokens: body.max_input_tokens ?? undefined,
    ownerId: body.owner_id ?? undefined,
  });
}

const listOf = (names: string | null | undefined): string[] | undefined => names?.split(',');

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

const secondsOf = (moment: Date | null): number => (moment ? unixSeconds(moment) : 0);

/** Returns `other_info`: why and when the server changed the status last. */
const otherInfoOf = ({ statusReason, statusChangedAt }: Channel): string =>
  statusChangedAt ? JSON.stringify({ status_reason: statusReason, status_time: unixSeconds(statusChangedAt) }) : '';

/**
 * Returns a channel in the REST form.
 * @param key in plain text for the detail endpoint, empty everywhere else
 */
export function toWire(channel: Channel, key = ''): Record<string, unknown> {
  return {
    id: channel.id,
    type: channel.type,
    key,
    openai_organization: channel.openaiOrganization,
    test_model: channel.testModel,
    status: channelStatuses.indexOf(channel.status) + 1,
    name: channel.name,
    weight: channel.weight,
    created_time: secondsOf(channel.createdAt),
    test_time: secondsOf(channel.testedAt),
    response_time: channel.responseTime,
    base_url: channel.baseUrl,
    other: channel.other,
    balance: channel.balance,
    balance_updated_time: secondsOf(channel.balanceAt),
    models: channel.models.join(),
    group: channel.groups.join(),
    used_quota: channel.usedQuota,
    model_mapping: mapText(channel.modelMapping),
    status_code_mapping: mapText(codesOf(channel.statusCodeMapping)),
    priority: channel.priority,
    auto_ban: Number(channel.autoDisable),
    other_info: otherInfoOf(channel),
    tag: channel.tag,
    setting: mapText(settingFields(channel.setting)),
    param_override: textOf(channel.parameters),
    header_override: textOf(channel.headers),
    limits: textOf(channel.limits),
    timeouts: textOf(channel.timeouts),
    model_prefix: channel.modelPrefix,
    max_input_tokens: channel.maxInputTokens ?? 0,
    owner_id: channel.ownerId ?? 0,
    expired_time: 0,
  };
}

/** Returns a model in OpenAI's form (docs/reference/relay/routes.md#model-lists). */
export function toModelWire(model: string): Record<string, unknown> {
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
