import { acceptsEverything, type Accepts, type Adapter } from '../adapter.js';
import type { BalanceReader } from './balance.js';
import { openAIDiscovery, type Discovery } from './discovery.js';

/**
 * Everything Tollgate knows about one kind of upstream, in one place: what the console offers, how keys are written, how
 * models and balances are asked for, which failures are retried, and the adapter that speaks the dialect
 * (docs/reference/providers/README.md#channel-types).
 */
export interface Provider {
  /** Channel type: the number in the database and on the wire. A number is never used again. */
  readonly id: number;
  /** `owned_by` of the models of its channels in `GET /v1/models`. */
  readonly name: string;
  /** `owned_by` of its built-in models in the console's catalogue; null leaves the models out of it. */
  readonly catalogueOwner: string | null;
  /** Shown in the console. */
  readonly label: string;
  /** False: channels of an older console keep working, new ones cannot be made. */
  readonly offered: boolean;
  /** Without a trailing slash. Empty: the channel names its own, or the adapter derives it (region, fixed host). */
  readonly defaultBaseUrl: string;
  /** A channel without a base URL cannot be saved. */
  readonly needsBaseUrl: boolean;
  /** Meaning of the channel field `other`. */
  readonly other: OtherField;
  readonly keyForm: KeyForm;
  /** Built-in model names, without duplicates. */
  readonly models: readonly string[];
  /** Lists the models of an account; null: only the built-in ones are known. */
  readonly discovery: Discovery | null;
  /** Reads the balance of an account; null: it cannot be asked for. */
  readonly balance: BalanceReader | null;
  readonly accepts: Accepts;
  /** A 400 of this provider says as little about the call as a 500: another channel is tried. */
  readonly retriesBadRequest: boolean;
  /** HTTP statuses that mean the key is no longer valid. */
  readonly deadKeyStatuses: readonly number[];
  /** How realtime sessions are opened; null: it has none. */
  readonly realtime: 'openai' | 'azure' | null;
  /** `{}` for platforms that take tasks and no calls. */
  readonly adapter: Adapter;
}

/** `list`: several keys between commas or on lines. `document`: one JSON document, never split. */
export type KeyForm = 'list' | 'document';

export interface OtherField {
  /** Stored when an admin leaves the field empty. */
  readonly default?: string;
  /** `region`: a region, or a JSON object of regions by model with a `default`. Required. */
  readonly form?: 'region';
}

/** A row of the table: what it leaves out has the value in `defaults`. */
export type ProviderRow = Pick<Provider, 'id' | 'name' | 'label' | 'defaultBaseUrl'> & Partial<Provider>;

const defaults = {
  offered: true,
  needsBaseUrl: false,
  other: {},
  keyForm: 'list',
  models: [],
  discovery: openAIDiscovery,
  balance: null,
  // Most refuse the role; `system` means the same to all of them.
  accepts: { ...acceptsEverything, developerRole: false },
  retriesBadRequest: false,
  deadKeyStatuses: [401],
  realtime: null,
  adapter: {},
} satisfies Partial<Provider>;

export const toProvider = (row: ProviderRow): Provider => ({ catalogueOwner: row.name, ...defaults, ...row });

/** Splits model names at white space. */
export const words = (text: string): readonly string[] => [...new Set(text.split(/\s+/).filter(Boolean))];
