import type { ChannelStatus } from '../../console/channels/index.js';
import { ChannelCost } from '../../billing/prices/index.js';
import {
  parseBodyOverride,
  parseHeaderOverride,
  type BodyOverride,
  type HeaderOperation,
} from '../../shared/channel-override.js';
import { isListCost, listCost, type CostRule } from '../../shared/cost-rule.js';
import {
  toChannelLimits,
  toChannelTimeouts,
  type ChannelLimits,
  type ChannelTimeouts,
  type LimitSetting,
  type TimeoutSetting,
} from '../../shared/channel-limits.js';
import type { ChannelSetting } from '../../dialects/target.js';
import { cachesUnasked, searchesUnasked } from '../../dialects/makers/charging.js';
import { changesPrice } from '../../dialects/overrides/sent-fields.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { withAdapter, type Provider } from '../../dialects/providers/provider.js';
import { providerOf } from '../../dialects/providers/providers.js';
import type { ModelMapping } from './model-mapping.js';

/**
 * A channel with the fields that the hot path needs: everything is parsed, and keys are decrypted. Never logged or
 * shown.
 */
export interface RoutedChannel {
  readonly id: number;
  readonly type: number;
  /** The row of `type` in the provider table. */
  readonly provider: Provider;
  readonly name: string;
  readonly enabled: boolean;
  /** The user whose calls the channel serves exclusively. Null: it serves all users. */
  readonly ownerId: number | null;
  readonly keys: readonly string[];
  /** The base URL as the admin entered it, trimmed; may be empty. */
  readonly baseUrl: string;
  readonly organization: string;
  readonly other: string;
  readonly createdAt: Date | null;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly priority: number;
  readonly weight: number;
  readonly prefix: string;
  /** Null when the provider's names are those that clients request. */
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
  readonly autoDisable: boolean;
  /** The cost of the channel's calls. */
  readonly cost: ChannelCost;
  /** Null when nothing is counted for the channel. */
  readonly limits: ChannelLimits | null;
  /** Null when the timeouts of the server apply. */
  readonly timeouts: ChannelTimeouts | null;
}

/** Columns of `channels` as SQL returns them. */
export interface ChannelRow {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  readonly status: ChannelStatus;
  readonly key_sealed: string;
  readonly base_url: string;
  readonly openai_organization: string;
  readonly other: string;
  readonly created_at: Date | null;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly priority: number;
  readonly weight: number;
  readonly model_prefix: string;
  readonly model_mapping: ModelMapping;
  readonly status_code_mapping: Readonly<Record<string, number>>;
  readonly parameters: object | null;
  readonly headers: object | null;
  readonly setting: ChannelSetting;
  readonly auto_disable: boolean;
  readonly cost: CostRule;
  readonly limits: LimitSetting | null;
  readonly timeouts: TimeoutSetting | null;
  readonly owner_id: number | null;
}

/** Arrays are read as JSON, which the driver parses several times as fast. */
export const channelColumns = `id, type, name, status, key_sealed, base_url, openai_organization, other, created_at,
  to_json(models) AS models, to_json(groups) AS groups, priority, weight, model_prefix, model_mapping, status_code_mapping, parameters,
  headers, setting, auto_disable, cost, limits, timeouts, owner_id`;

/** @param open decrypts a key */
export function toRoutedChannel(row: ChannelRow, open: (sealed: string) => string): RoutedChannel {
  const { other, base_url: baseUrl, setting } = row;
  const provider = withAdapter(providerOf(row.type), { other, baseUrl, setting });
  const keys = splitKeys(open(row.key_sealed), provider.keyForm);
  const override = toBodyOverride(row.parameters);
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    enabled: row.status === 'enabled',
    ownerId: row.owner_id,
    provider,
    // A channel without keys is still called, with an empty key.
    keys: keys.length > 0 ? keys : [''],
    baseUrl: row.base_url.trim(),
    organization: row.openai_organization,
    other: row.other,
    createdAt: row.created_at,
    models: row.models,
    groups: row.groups,
    priority: row.priority,
    weight: row.weight,
    prefix: row.model_prefix,
    mapping: Object.keys(row.model_mapping).length > 0 ? row.model_mapping : null,
    mapsToUnasked: Object.values(row.model_mapping).some((model) => cachesUnasked(model) || searchesUnasked(model)),
    statusMapping: new Map(Object.entries(row.status_code_mapping).map(([from, to]) => [Number(from), to])),
    override,
    overridesPrice: override !== null && changesPrice(override),
    headers: toHeaderOperations(row.headers),
    setting: row.setting,
    autoDisable: row.auto_disable,
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
