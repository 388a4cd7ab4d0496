import type { Price } from '../../modules/pricing/price-book.service.js';
import type { Usage } from '../usage.js';

/** What the log keeps of a call besides its columns: enough to compute the charge again. */
export interface CallFacts {
  readonly price: Price;
  readonly quotaPerUnit: number;
  readonly usage: Usage;
  readonly requestPath: string;
  readonly group: string;
  readonly requestedModel: string;
  /** Without the routing prefix. */
  readonly bareModel: string;
  readonly upstreamModel: string;
  /** Channels tried, in order. */
  readonly usedChannels: readonly number[];
  /** Milliseconds until the provider's first data; null for answers of one piece. */
  readonly firstByteMs: number | null;
  readonly reasoningEffort?: string;
  /** Hints the provider does not know: left out. */
  readonly dropped?: readonly string[];
  /** What the endpoint's tariff adds or says otherwise. */
  readonly notes?: Readonly<Record<string, unknown>>;
  /** The tariff's own line for people. */
  readonly line?: string;
  readonly clientGone: boolean;
  /** Wire code of the failure that cut a stream. */
  readonly brokenBy?: string;
  /** The usage was counted here, because the provider reported none or not all. */
  readonly counted: boolean;
  /** Option LogChatContentEnabled. */
  readonly content?: Readonly<Record<string, string>>;
}

const neverSet = -1000;

/** Keys of docs/reference/relay/usage-log.md#the-other-field. */
export function otherOf(facts: CallFacts): Record<string, unknown> {
  const { price, usage } = facts;
  const byRatio = price.kind === 'ratio';
  const mapped = facts.upstreamModel !== facts.bareModel;
  return {
    model_ratio: byRatio ? price.modelRatio : 0,
    group_ratio: price.groupRatio,
    ...(price.version === undefined ? {} : { price_version: price.version }),
    completion_ratio: byRatio ? price.completionRatio : 0,
    model_price: byRatio ? -1 : price.modelPrice,
    cache_tokens: usage.cachedTokens,
    cache_ratio: byRatio ? price.cacheRatio : 0,
    ...(usage.cacheWriteTokens > 0
      ? { cache_creation_tokens: usage.cacheWriteTokens, cache_creation_ratio: byRatio ? price.cacheWriteRatio : 0 }
      : {}),
    ...(byRatio && !facts.notes?.['image'] ? {} : { quota_per_unit: facts.quotaPerUnit }),
    frt: facts.firstByteMs ?? neverSet,
    group: facts.group,
    request_path: facts.requestPath,
    ...(usage.reasoningTokens > 0 ? { reasoning_tokens: usage.reasoningTokens } : {}),
    ...(facts.reasoningEffort === undefined ? {} : { reasoning_effort: facts.reasoningEffort }),
    ...(mapped ? { is_model_mapped: true, upstream_model_name: facts.upstreamModel } : {}),
    ...(facts.dropped === undefined ? {} : { dropped_parameters: facts.dropped }),
    ...(facts.counted ? { counted_locally: true } : {}),
    ...(facts.clientGone ? { client_gone: true } : {}),
    ...(facts.brokenBy === undefined ? {} : { stream_error: facts.brokenBy }),
    ...facts.notes,
    ...facts.content,
    admin_info: {
      use_channel: facts.usedChannels.map(String),
      ...(usage.chargedUsd === undefined ? {} : { upstream_cost: usage.chargedUsd }),
    },
  };
}

/** The line people read (docs/reference/relay/usage-log.md#log-text). */
export function contentOf(facts: CallFacts, loggedModel: string): string {
  const { price, usage } = facts;
  const group = `group ratio ${price.groupRatio.toFixed(2)}`;
  const line =
    facts.line ??
    (price.kind === 'ratio'
      ? `model ratio ${price.modelRatio.toFixed(2)}, completion ratio ${price.completionRatio.toFixed(2)}, ${group}`
      : `model price ${price.modelPrice.toFixed(2)}, ${group}`);
  const collapsed = loggedModel === facts.requestedModel ? '' : `, model ${facts.requestedModel}`;
  const empty = usage.promptTokens + usage.completionTokens === 0 ? ' (possibly upstream timeout)' : '';
  return line + collapsed + empty;
}
