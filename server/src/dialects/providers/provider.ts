import type { Condition } from '../../shared/price-condition.js';
import { acceptsEverything, accountFields, type Accepts } from '../accepts.js';
import { type Adapter } from '../contract.js';
import type { ChannelSetting } from '../target.js';
import type { BalanceReader } from './balance.js';
import { openAIDiscovery, type Discovery } from './discovery.js';

/**
 * Every property of one kind of provider: the console's label, the form of keys, model discovery and balances, which
 * failures are retried, and the adapter for its dialect (docs/reference/providers/README.md#channel-types).
 */
export interface Provider {
  /** Channel type: the number in the database and on the wire. A number is never reused. */
  readonly id: number;
  /** The name in lower case, for programs. */
  readonly name: string;
  /** The value of the GraphQL enum `Provider`. It is unique; the default is the name in upper case. */
  readonly enumName: string;
  /** `owned_by` of its built-in models in the catalogue and in `GET /v1/models`; null excludes them. */
  readonly catalogueOwner: string | null;
  /** The name that the console shows. */
  readonly label: string;
  /** Whether new channels may have the type. False: existing channels of an older console keep working. */
  readonly offered: boolean;
  /**
   * The default base URL, without a trailing slash. Empty: the channel must have a base URL, or the adapter derives it
   * (region, fixed host).
   */
  readonly defaultBaseUrl: string;
  /** Whether a channel without a base URL is refused. */
  readonly needsBaseUrl: boolean;
  /** Whether the base URL may name a WebSocket (`wss://`). */
  readonly socketBase: boolean;
  /** Meaning of the channel field `other`. */
  readonly other: OtherField;
  readonly keyForm: KeyForm;
  /** Built-in model names, without duplicates. */
  readonly models: readonly string[];
  /** Lists the models of an account; null: only the built-in ones are known. */
  readonly discovery: Discovery | null;
  /** Reads the balance of an account; null: the provider has no API for it. */
  readonly balance: BalanceReader | null;
  /** Unit of the balance: an ISO 4217 code, or `POINTS`. */
  readonly balanceUnit: string;
  readonly accepts: Accepts;
  /**
   * The field of a request, or header of chat completions, that names the session whose prompts the provider caches.
   * Responses has the field in both cases. Absent: the provider has no such name.
   */
  readonly cacheKey?: 'prompt_cache_key' | 'x-grok-conv-id';
  /**
   * Client headers that reach the provider where it speaks the client's dialect, in lower case: versions, features and
   * traces. None may name an account.
   */
  readonly clientHeaders: readonly string[];
  /**
   * Whether a 400 of this provider does not mean that the request is invalid. Another channel is then tried, as for a
   * 500.
   */
  readonly retriesBadRequest: boolean;
  /** HTTP statuses that mean the key is no longer valid. */
  readonly deadKeyStatuses: readonly number[];
  /** The protocol of realtime sessions; null: not supported. */
  readonly realtime: 'openai' | 'azure' | null;
  /** The API that makes videos; null: not supported. */
  readonly videos:
    | ('openai' | 'veo' | 'vertex-veo' | 'xai' | 'ark' | 'wan' | 'cogvideo' | 'kling' | 'minimax' | 'vidu' | 'jimeng')
    | null;
  /**
   * The condition of calls at this time, where the provider's prices depend on that.
   * @param now Unix milliseconds
   * @param baseUrl of the channel: other addresses may have other prices
   */
  readonly conditionAt?: (now: number, baseUrl: string) => Condition | undefined;
  /** `{}` for platforms that run tasks and serve no calls. */
  readonly adapter: Adapter;
  /** Returns the adapter of one channel, if its fields decide it. Null: `adapter`. */
  readonly adapterFor?: (channel: { readonly other: string; readonly baseUrl: string }) => Adapter | null;
  /** The adapter of channels whose `setting.chat_upstream` is `alternative`. Absent: the provider has no other chat API. */
  readonly alternative?: Adapter;
}

/** Returns the row with the adapter that the channel's own fields select. */
export function withAdapter(
  provider: Provider,
  { other, baseUrl, setting }: { readonly other: string; readonly baseUrl: string; readonly setting: ChannelSetting },
): Provider {
  const isAlternative = setting.chatUpstream === 'alternative';
  const adapter = (isAlternative && provider.alternative) || provider.adapterFor?.({ other, baseUrl });
  return adapter ? { ...provider, adapter } : provider;
}

/** `list`: several keys separated by commas or line breaks. `document`: one JSON document, never split. */
export type KeyForm = 'list' | 'document';

/** Meaning of the channel field `other` for one provider. */
export interface OtherField {
  /** Stored when an admin leaves the field empty. */
  readonly default?: string;
  /** `region`: a region, or a JSON object of regions by model with a `default`. Required. */
  readonly form?: 'region';
  /** @throws InvalidInputError */
  check?(other: string): void;
}

/** A row of the table; absent fields have the values of `defaults`. */
export type ProviderRow = Pick<Provider, 'id' | 'name' | 'label' | 'defaultBaseUrl'> & Partial<Provider>;

/**
 * Most providers refuse the role `developer`, for which `system` means the same, and fields of OpenAI's accounts other than
 * the oldest one.
 */
export const acceptsUsual: Accepts = {
  ...acceptsEverything,
  developerRole: false,
  accountFields: ['user'],
  customTools: false,
};

/** Gateways, routers and servers of open models pass account fields on or ignore them. */
export const acceptsAccountFields: Accepts = { ...acceptsUsual, accountFields };

/** W3C Trace Context. */
export const traceHeaders: readonly string[] = ['traceparent', 'tracestate'];
/** Headers for features of OpenAI's own API, and for the client's own name of a request. */
export const openAIHeaders: readonly string[] = [...traceHeaders, 'openai-beta', 'x-client-request-id'];
export const anthropicHeaders: readonly string[] = [...traceHeaders, 'anthropic-version', 'anthropic-beta'];
/** The form of steps and events in Interactions. */
export const googleHeaders: readonly string[] = [...traceHeaders, 'api-revision'];

const defaults = {
  offered: true,
  needsBaseUrl: false,
  socketBase: false,
  other: {},
  keyForm: 'list',
  models: [],
  discovery: openAIDiscovery,
  balance: null,
  balanceUnit: 'USD',
  accepts: acceptsUsual,
  clientHeaders: traceHeaders,
  retriesBadRequest: false,
  deadKeyStatuses: [401],
  realtime: null,
  videos: null,
  adapter: {},
} satisfies Partial<Provider>;

/** Fills in the defaults of a row. */
export const toProvider = (row: ProviderRow): Provider => ({
  catalogueOwner: row.name,
  enumName: row.name.replace(/\W+/g, '_').toUpperCase(),
  ...defaults,
  ...row,
});

/** Splits model names at white space. */
export const words = (text: string): readonly string[] => [...new Set(text.split(/\s+/).filter(Boolean))];
