import type { ChannelStatus } from '../../console/channels/index.js';
import { ChannelCost } from '../../billing/prices/index.js';
import {
  parseBodyOverride,
  parseHeaderOverride,
  type BodyOverride,
  type HeaderOperation,
} from '../../shared/channel-override.js';
import { listCost, readCostRule } from '../../shared/cost-rule.js';
import { parseLimits, parseTimeouts, type ChannelLimits, type ChannelTimeouts } from '../../shared/channel-limits.js';
import { parseFields, type Fields } from '../../shared/json.js';
import type { ChannelSetting } from '../../dialects/contract.js';
import { changesPrice } from '../../dialects/overrides/sent-fields.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import type { Provider } from '../../dialects/providers/provider.js';
import { providerOf } from '../../dialects/providers/providers.js';
import { parseModelMapping, type ModelMapping } from './model-mapping.js';

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
  readonly mapping: ModelMapping;
  readonly statusMapping: ReadonlyMap<number, number>;
  readonly override: BodyOverride | null;
  /** Whether `override` changes a field that prices a call. */
  readonly overridesPrice: boolean;
  /** `header_override`; empty when there is none. */
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
  readonly model_mapping: string;
  readonly status_code_mapping: string;
  readonly param_override: string;
  readonly header_override: string;
  readonly setting: string;
  readonly auto_disable: boolean;
  readonly cost_rule: string;
  readonly limits: string;
  readonly timeouts: string;
  readonly owner_id: number | null;
}

export const channelColumns = `id, type, name, status, key_sealed, base_url, openai_organization, other, created_at,
  models, groups, priority, weight, model_prefix, model_mapping, status_code_mapping, param_override,
  header_override, setting, auto_disable, cost_rule, limits, timeouts, owner_id`;

/** @param open decrypts a key */
export function toRoutedChannel(row: ChannelRow, open: (sealed: string) => string): RoutedChannel {
  const provider = withAdapter(providerOf(row.type), row);
  const keys = splitKeys(open(row.key_sealed), provider.keyForm);
  const override = parseOverride(row.param_override);
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
    mapping: parseModelMapping(row.model_mapping),
    statusMapping: parseStatusMapping(row.status_code_mapping),
    override,
    overridesPrice: override !== null && changesPrice(override),
    headers: parseHeaders(row.header_override),
    setting: parseSetting(row.setting),
    autoDisable: row.auto_disable,
    cost: costOf(row.cost_rule),
    limits: parseLimits(row.limits),
    timeouts: parseTimeouts(row.timeouts),
  };
}

/** Most channels cost the list price, and share its look-ups. */
const atListPrice = new ChannelCost(listCost);

const costOf = (rule: string): ChannelCost => (rule === '' ? atListPrice : new ChannelCost(readCostRule(rule)));

/** Returns the row of the provider table, with the adapter that the channel's own fields select. */
function withAdapter(provider: Provider, { other, base_url: baseUrl }: ChannelRow): Provider {
  const adapter = provider.adapterFor?.({ other, baseUrl });
  return adapter ? { ...provider, adapter } : provider;
}

function parseObject(text: string): Fields | null {
  const fields = parseFields(text);
  return fields && Object.keys(fields).length > 0 ? fields : null;
}

/** @returns null for an empty text, and for a text that could not have been saved */
function parseOverride(text: string): BodyOverride | null {
  const fields = parseObject(text);
  const override = fields && parseBodyOverride(fields);
  return typeof override === 'string' ? null : override;
}

function parseHeaders(text: string): readonly HeaderOperation[] {
  const fields = parseObject(text);
  const operations = fields ? parseHeaderOverride(fields) : [];
  return typeof operations === 'string' ? [] : operations;
}

/** Parses `{"400":"500"}`. Numbers are accepted too; other values are ignored. */
function parseStatusMapping(text: string): ReadonlyMap<number, number> {
  const map = new Map<number, number>();
  for (const [from, to] of Object.entries(parseObject(text) ?? {})) {
    const target = typeof to === 'number' ? to : typeof to === 'string' && to.trim() !== '' ? Number(to) : NaN;
    if (Number.isInteger(Number(from)) && Number.isInteger(target) && target >= 100 && target <= 599) {
      map.set(Number(from), target);
    }
  }
  return map;
}

function parseSetting(text: string): ChannelSetting {
  const setting = parseObject(text) ?? {};
  const { proxy, stream_support: streamSupport, chat_upstream: chatUpstream } = setting;
  return {
    ...(typeof proxy === 'string' && proxy.trim() !== '' ? { proxy: proxy.trim() } : {}),
    forceFormat: setting['force_format'] === true,
    thinkingToContent: setting['thinking_to_content'] === true,
    nonStreamOnly: typeof streamSupport === 'string' && streamSupport.toUpperCase() === 'NON_STREAM_ONLY',
    ...(chatUpstream === 'chat' || chatUpstream === 'responses' ? { chatUpstream } : {}),
  };
}
