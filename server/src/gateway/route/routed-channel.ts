import type { Channel } from '../../console/channels/index.js';
import { ChannelCost } from '../../billing/prices/index.js';
import {
  parseBodyOverride,
  parseHeaderOverride,
  type BodyOverride,
  type HeaderOperation,
} from '../../shared/channel-override.js';
import { isListCost, listCost } from '../../shared/cost-rule.js';
import {
  toChannelLimits,
  toChannelTimeouts,
  type ChannelLimits,
  type ChannelTimeouts,
} from '../../shared/channel-limits.js';
import type { ChannelSetting } from '../../dialects/target.js';
import { cachesUnasked, searchesUnasked } from '../../dialects/makers/charging.js';
import { changesPrice } from '../../dialects/overrides/sent-fields.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { withAdapter, type Provider } from '../../dialects/providers/provider.js';
import { providerOf } from '../../dialects/makers/providers.js';
import type { ModelMapping } from './model-mapping.js';

/**
 * A channel with the fields that the hot path needs: everything is parsed, and keys are decrypted. Never logged or
 * shown.
 */
export interface RoutedChannel extends Readonly<
  Pick<Channel, 'id' | 'type' | 'name' | 'ownerId' | 'other' | 'createdAt' | 'priority' | 'weight' | 'autoDisable'>
> {
  /** The row of `type` in the provider table. */
  readonly provider: Provider;
  readonly enabled: boolean;
  readonly keys: readonly string[];
  /** The base URL as the admin entered it, trimmed; may be empty. */
  readonly baseUrl: string;
  readonly organization: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly prefix: string;
  /** Null when clients request the provider's own names. */
  readonly mapping: ModelMapping | null;
  /** Whether `mapping` names a model that costs more than the request shows, because it searches or caches unasked. */
  readonly mapsToUnasked: boolean;
  readonly statusMapping: ReadonlyMap<number, number>;
  readonly override: BodyOverride | null;
  /** Whether `override` changes a field that prices a call. */
  readonly overridesPrice: boolean;
  /** Changes of the headers; empty when there are none. */
  readonly headers: readonly HeaderOperation[];
  readonly setting: ChannelSetting;
  /** The cost of the channel's calls. */
  readonly cost: ChannelCost;
  /** Null when nothing is counted for the channel. */
  readonly limits: ChannelLimits | null;
  /** Null when the timeouts of the server apply. */
  readonly timeouts: ChannelTimeouts | null;
}

/** Columns of `channels` that routing needs. Arrays are read as JSON, which the driver parses several times as fast. */
export const channelColumns = `id, type, name, status, key_sealed AS "keySealed", base_url AS "baseUrl",
  openai_organization AS "openaiOrganization", other, created_at AS "createdAt", to_json(models) AS models,
  to_json(groups) AS groups, priority, weight, model_prefix AS "modelPrefix", model_mapping AS "modelMapping",
  status_code_mapping AS "statusCodeMapping", parameters, headers, setting, auto_disable AS "autoDisable", cost, limits,
  timeouts, owner_id AS "ownerId"`;

/** A channel as `channelColumns` reads it. */
export type ChannelRow = Readonly<Omit<Channel, Unread>>;
type Unread =
  | 'statusReason'
  | 'statusChangedAt'
  | 'testModel'
  | 'testedAt'
  | 'responseTime'
  | 'testError'
  | 'balance'
  | 'balanceAt'
  | 'usedQuota'
  | 'tag'
  | 'maxInputTokens';

/** @param open decrypts a key */
export function toRoutedChannel(row: ChannelRow, open: (sealed: string) => string): RoutedChannel {
  const { other, baseUrl, setting, modelMapping } = row;
  const provider = withAdapter(providerOf(row.type), { other, baseUrl, setting });
  const keys = splitKeys(open(row.keySealed), provider.keyForm);
  const override = toBodyOverride(row.parameters);
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    enabled: row.status === 'enabled',
    ownerId: row.ownerId,
    provider,
    // A channel without keys is still called, with an empty key.
    keys: keys.length > 0 ? keys : [''],
    baseUrl: baseUrl.trim(),
    organization: row.openaiOrganization,
    other,
    createdAt: row.createdAt,
    models: row.models,
    groups: row.groups,
    priority: row.priority,
    weight: row.weight,
    prefix: row.modelPrefix,
    mapping: Object.keys(modelMapping).length > 0 ? modelMapping : null,
    mapsToUnasked: Object.values(modelMapping).some((model) => cachesUnasked(model) || searchesUnasked(model)),
    statusMapping: new Map(Object.entries(row.statusCodeMapping).map(([from, to]) => [Number(from), to])),
    override,
    overridesPrice: override !== null && changesPrice(override),
    headers: toHeaderOperations(row.headers),
    setting,
    autoDisable: row.autoDisable,
    cost: isListCost(row.cost) ? atListPrice : new ChannelCost(row.cost),
    limits: toChannelLimits(row.limits),
    timeouts: toChannelTimeouts(row.timeouts),
  };
}

/** Most channels cost the list price, and share its look-ups. */
const atListPrice = new ChannelCost(listCost);

/** Returns null for none, and for an override that could not have been saved. */
function toBodyOverride(parameters: object | null): BodyOverride | null {
  const override = parameters && Object.keys(parameters).length > 0 ? parseBodyOverride(parameters) : null;
  return typeof override === 'string' ? null : override;
}

function toHeaderOperations(headers: object | null): readonly HeaderOperation[] {
  const operations = headers ? parseHeaderOverride(headers) : [];
  return typeof operations === 'string' ? [] : operations;
}
