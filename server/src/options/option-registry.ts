import { z } from 'zod';
import { InvalidInputError } from '../shared/errors.js';
import { captureRules } from '../shared/capture-rule.js';
import { guardrailRules } from '../shared/guardrail-rule.js';
import { maxQuota } from '../shared/quota.js';
import * as tables from './default-tables.js';
import {
  bare,
  choice,
  content,
  currencyCode,
  decimal,
  flag,
  json,
  list,
  numberTable,
  OptionValueError,
  rootOnly,
  secretText,
  text,
  textArray,
  textTable,
  url,
  urlOrPath,
  whole,
  zoneName,
  type OptionDefinition,
} from './option-kind.js';
import { maxInt32, maxTokenCount } from '../shared/limits.js';
import { toolQuantities, type PriceCard, type ToolQuantity } from '../shared/price-card.js';
import { secondFactorRules } from '../shared/second-factor-rule.js';
import { isCardName, maxPrice, parsePriceCard, PriceCardError } from '../shared/price-card-input.js';

const fallbackTable = json(
  z
    .record(z.string().min(1), z.array(z.string().min(1).max(256)).max(10, 'must list at most 10 models'))
    .transform(bare),
  bare<readonly string[]>({}),
);

const channelOrders = ['weight', 'cost', 'first_token'] as const;
const orderTable = json(
  z.record(z.string().min(1), z.enum(channelOrders, 'must be weight, cost or first_token')).transform(bare),
  bare<(typeof channelOrders)[number]>({}),
);

const domain = (entry: string): string | undefined =>
  /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i.test(entry) ? undefined : 'must list domains such as example.com';

const word = (entry: string): string | undefined => {
  if (!entry.startsWith('regex:')) return undefined;
  try {
    new RegExp(entry.slice('regex:'.length), 'u');
    return undefined;
  } catch {
    return 'must contain valid patterns after regex:';
  }
};

const paidObjects: readonly string[] = ['vector_stores', 'containers', 'cachedContents'];
const paidObject = (entry: string): string | undefined =>
  paidObjects.includes(entry) ? undefined : `must list some of ${paidObjects.join(', ')}`;

const mailAddress = (entry: string): string | undefined =>
  /^[^\s@;,]{1,64}@[^\s@;,]{1,255}$/.test(entry) ? undefined : 'must list mail addresses';

const priceSource = (entry: string): string | undefined =>
  URL.canParse(entry) && /^https?:$/.test(new URL(entry).protocol) && entry.length <= 500
    ? undefined
    : 'must list http:// or https:// addresses of at most 500 characters';

/** A limit of requests. One console form shows -1 for "no limit"; 0 is stored. */
const requestLimit: OptionDefinition<number> = {
  ...whole(0),
  parse: (value) => (value.trim() === '-1' ? 0 : whole(0).parse(value)),
};

const calls = z.int('must be a whole number').min(0, 'must not be less than 0').max(maxInt32, 'is too large');

const quota = (defaultValue: number): OptionDefinition<number> => whole(defaultValue, 0, maxQuota);

/** Cards without a prototype, so that lookups of inherited names find nothing. */
const priceCards = json<Readonly<Record<string, PriceCard | 'built-in'>>>(
  z
    .record(
      z.string().refine(isCardName, 'must be a model name, or a prefix that ends with *'),
      z.unknown().transform((value, context): PriceCard | 'built-in' => {
        if (value === 'built-in') return value;
        try {
          return parsePriceCard(value);
        } catch (error) {
          if (!(error instanceof PriceCardError)) throw error;
          context.addIssue({ code: 'custom', message: error.message });
          return z.NEVER;
        }
      }),
    )
    .transform(bare),
  bare({}),
);

const toolPrice = z.number().min(0, 'must not be negative').max(maxPrice, 'is too large');
const toolPrices = json<Readonly<Record<string, Readonly<Partial<Record<ToolQuantity, number>>>>>>(
  z
    .record(
      z.string().refine(isCardName, 'must be a model name, or a prefix that ends with *'),
      z.partialRecord(z.enum(toolQuantities), toolPrice),
    )
    .transform(bare),
  bare({}),
);

/** All settings by their wire key (docs/reference/rest/options.md). Unknown keys are refused. */
export const optionRegistry = {
  // Access and registration: root only, because an admin could otherwise sign in as another user.
  PasswordLoginEnabled: rootOnly(flag(true)),
  /** Sessions of these roles can do nothing before the user has set up a second factor. */
  SecondFactorRequiredFor: rootOnly(choice('none', secondFactorRules)),
  PasswordRegisterEnabled: rootOnly(flag(true)),
  RegisterEnabled: rootOnly(flag(true)),
  EmailVerificationEnabled: rootOnly(flag(false)),
  TurnstileCheckEnabled: rootOnly(flag(false)),
  TurnstileSiteKey: rootOnly(text()),
  TurnstileSecretKey: secretText(),
  EmailDomainRestrictionEnabled: rootOnly(flag(false)),
  EmailDomainWhitelist: rootOnly(list(tables.defaultEmailDomains, ',', domain)),
  EmailAliasRestrictionEnabled: rootOnly(flag(false)),
  GitHubOAuthEnabled: rootOnly(flag(false)),
  GitHubClientId: rootOnly(text()),
  GitHubClientSecret: secretText(),
  LinuxDOOAuthEnabled: rootOnly(flag(false)),
  LinuxDOClientId: rootOnly(text()),
  LinuxDOClientSecret: secretText(),
  'oidc.enabled': rootOnly(flag(false)),
  'oidc.client_id': rootOnly(text()),
  'oidc.client_secret': secretText(),
  'oidc.well_known': rootOnly(url()),
  'oidc.authorization_endpoint': rootOnly(url()),
  'oidc.token_endpoint': rootOnly(url()),
  'oidc.user_info_endpoint': rootOnly(url()),
  WeChatAuthEnabled: rootOnly(flag(false)),
  WeChatServerAddress: rootOnly(url()),
  WeChatServerToken: secretText(),
  WeChatAccountQRCodeImageURL: rootOnly(url()),
  TelegramOAuthEnabled: rootOnly(flag(false)),
  TelegramBotToken: secretText(),
  TelegramBotName: rootOnly(text()),

  // Mail, server, payment: root only
  SMTPServer: rootOnly(text()),
  SMTPAccount: rootOnly(text()),
  SMTPFrom: rootOnly(text()),
  SMTPPort: rootOnly(whole(587, 1, 65_535)),
  SMTPToken: secretText(),
  SMTPSSLEnabled: rootOnly(flag(false)),
  ServerAddress: rootOnly(url()),
  WorkerUrl: rootOnly(url()),
  WorkerValidKey: secretText(),
  PayAddress: rootOnly(url()),
  EpayId: rootOnly(text()),
  EpayKey: secretText(),
  Price: rootOnly(decimal(7.3, { above: 0, max: 1e9 })),
  MinTopUp: rootOnly(whole(1, 1)),
  StripeSecretKey: secretText(),
  StripeSigningSecret: secretText(),
  StripeCurrency: rootOnly(currencyCode('USD')),
  StripePrice: rootOnly(decimal(1, { above: 0, max: 1e9 })),
  StripeMinTopUp: rootOnly(whole(1, 1)),
  CustomCallbackAddress: rootOnly(url()),
  TopupGroupRatio: rootOnly(numberTable(tables.defaultTopupGroupRatios)),
  TopUpLink: rootOnly(url()),

  // Monthly statements (docs/reference/rest/tokens-and-wallet.md#statements). Months begin at midnight of the time zone.
  'statements.time_zone': rootOnly(zoneName()),
  'statements.seller_name': rootOnly(text('', 200)),
  'statements.seller_address': rootOnly(text('', 500)),
  'statements.seller_tax_id': rootOnly(text('', 100)),
  'statements.note': rootOnly(text('', 1000)),

  // Content
  Notice: content(),
  About: content(),
  HomePageContent: content(),
  SystemName: text('Tollgate', 100),
  Logo: urlOrPath(),
  Footer: content(),
  'general_setting.docs_link': url(),
  // The console inserts the user's API key into these URLs, so only root may choose them.
  Chats: rootOnly(json(z.array(z.record(z.string().min(1), z.string())), [])),

  // Operation
  QuotaPerUnit: decimal(500_000, { above: 0 }),
  DisplayInCurrencyEnabled: flag(true),
  /** The currency that amounts are shown in. The ledger, payments and the API count USD and quota. */
  'general_setting.quota_display_type': choice('USD', ['USD', 'CNY', 'CUSTOM']),
  USDExchangeRate: decimal(7.3, { above: 0, max: 1e9 }),
  'general_setting.custom_currency_symbol': text('¤', 16),
  'general_setting.custom_currency_exchange_rate': decimal(1, { above: 0, max: 1e9 }),
  DisplayTokenStatEnabled: flag(true),
  QuotaForNewUser: quota(0),
  QuotaForInviter: quota(0),
  QuotaForInvitee: quota(0),
  QuotaRemindThreshold: quota(1000),
  PreConsumedQuota: quota(500),
  StrictReserve: flag(true),
  StrictReserveOutput: whole(16_384, 1, maxTokenCount),
  RetryTimes: whole(0, 0, 100),
  /** Whether users create organisations. Users with `users.write` always may. */
  OrganizationCreationEnabled: flag(true),
  CheckInEnabled: flag(false),
  CheckInQuota: quota(1000),
  CheckInMaxQuota: quota(0),
  RebateEnabled: flag(false),
  RebatePercentage: decimal(0, { min: 0, max: 100 }),
  DemoSiteEnabled: flag(false),
  SelfUseModeEnabled: flag(false),
  DefaultCollapseSidebar: flag(false),
  DrawingEnabled: flag(true),
  TaskEnabled: flag(true),
  MjNotifyEnabled: flag(false),
  MjAccountFilterEnabled: flag(false),
  MjForwardUrlEnabled: flag(true),
  MjModeClearEnabled: flag(false),
  MjActionCheckSuccessEnabled: flag(true),
  CheckSensitiveEnabled: flag(true),
  CheckSensitiveOnPromptEnabled: flag(true),
  StopOnSensitiveEnabled: flag(true),
  StreamCacheQueueLength: whole(0),
  // Checks of what goes in and out (docs/reference/relay/guardrails.md). Root only: the server calls their addresses.
  'guardrails.rules': rootOnly(json(guardrailRules, [])),
  'guardrails.moderation_token': secretText(),
  'guardrails.webhook_secret': secretText(),
  // Prompts and responses that are kept in a table of their own (docs/reference/relay/captures.md).
  'content_capture.rules': rootOnly(json(captureRules, [])),
  'content_capture.retention_days': rootOnly(whole(30, 1, 3650)),
  SensitiveWords: list(tables.defaultSensitiveWords, '\n', word),
  LogConsumeEnabled: flag(true),
  LogChatContentEnabled: flag(false),
  LogErrorEnabled: flag(true),
  DataExportEnabled: flag(true),
  DataExportInterval: whole(5, 1),
  DataExportDefaultTime: choice('hour', ['hour', 'day', 'week']),
  ChannelDisableThreshold: decimal(5, { min: 0, max: 86_400 }),
  AutomaticDisableChannelEnabled: flag(false),
  AutomaticEnableChannelEnabled: flag(false),
  AutomaticDisableKeywords: list(tables.defaultDisableKeywords, '\n'),
  FileUploadPermission: whole(0),
  FileDownloadPermission: whole(0),
  ImageUploadPermission: whole(0),
  ImageDownloadPermission: whole(0),

  // Models, groups, limits
  ModelRatio: numberTable(tables.defaultModelRatios),
  ModelPrice: numberTable(tables.defaultModelPrices),
  CompletionRatio: numberTable(tables.defaultCompletionRatios),
  CacheRatio: numberTable(tables.defaultCacheRatios),
  // Model, or prefix that ends with *, to its card; 'built-in' uses the list price instead of the tables above.
  PriceCards: priceCards,
  // Model, or prefix that ends with *, to USD for each call of a tool that a provider runs; before list prices.
  ToolPrices: toolPrices,
  // Calls with a tool of the provider whose price is not known: refused, or the tool is free.
  UnpricedTools: choice('refuse', ['refuse', 'free']),
  ModelMaxOutput: numberTable({}),
  // Public lists of prices, checked every PriceSyncHours; 0 means never. Root only: the server calls these addresses.
  PriceSyncSources: rootOnly(list([], '\n', priceSource)),
  PriceSyncHours: rootOnly(whole(0, 0, 8760)),
  PriceSyncThreshold: rootOnly(decimal(1, { min: 0, max: 1000 })),
  PriceSyncMarkup: rootOnly(decimal(1, { above: 0, max: 100 })),
  PriceSyncApply: rootOnly(flag(false)),
  GroupRatio: numberTable(tables.defaultGroupRatios),
  UserUsableGroups: textTable(tables.defaultUsableGroups),
  ModelRequestRateLimitEnabled: flag(false),
  ModelRequestRateLimitDurationMinutes: whole(1, 0, 525_600),
  ModelRequestRateLimitCount: requestLimit,
  ModelRequestRateLimitSuccessCount: whole(1000, 1),
  // Group to [calls, successful calls], in place of the two settings above; 0 means no limit.
  ModelRequestRateLimitGroup: json(
    z.record(z.string().min(1), z.tuple([calls, calls], 'must be two numbers')).transform(bare),
    bare<readonly [number, number]>({}),
  ),
  // Concurrent calls of a user, of a node and of a key; 0 means no limit. The defaults stop a runaway client, not a busy one.
  ModelRequestUserInFlightLimit: whole(1000),
  ModelRequestNodeInFlightLimit: whole(10_000),
  ModelRequestTokenInFlightLimit: whole(0),
  'global.pass_through_request_enabled': flag(false),
  'global.hide_upstream_error_enabled': flag(false),
  'global.block_browser_extension_enabled': flag(false),
  'global.requested_model_in_answers': flag(true),
  // Files and other objects that providers keep for users: megabytes of a file and of all files of a user, their number (0: none may be created).
  'files.max_file_mb': whole(512, 1, 1_000_000),
  'files.max_user_mb': whole(10_240, 1, 1_000_000_000),
  'files.max_user_count': whole(1000),
  // Objects for which providers charge as long as they exist, and which users may create all the same.
  'files.allowed_paid': list([], ',', paidObject),
  // Whether a batch has one log row, or one for each line that was charged.
  'batches.log_rows': choice('batch', ['batch', 'line']),
  'session_affinity.enabled': flag(true),
  // Model, or prefix that ends with *, to seconds without a call after which a session is forgotten; 0: never pinned.
  'session_affinity.ttl_seconds': numberTable({ '*': 1800 }),
  'session_affinity.min_prompt_bytes': whole(4096),
  // The rule that prefers some channels of a tier.
  'channel_order.default': choice('weight', channelOrders),
  'channel_order.by_group': orderTable,
  'channel_order.by_model': orderTable,
  // Model, or prefix that ends with *, to the models that are called when no channel can serve it, in order.
  'fallback_models.by_model': fallbackTable,
  // Group to models, for calls that write text.
  'fallback_models.by_group': fallbackTable,
  // Percentile of a channel's time to the first byte after which a second attempt begins; 0: never.
  'hedged_attempts.percentile': whole(0, 0, 99),
  // The readers of how well models serve calls: every visitor, users, or none.
  'model_health.access': choice('user', ['public', 'user', 'off']),
  // Everyone sees the state of what the site sells, and incidents.
  'status_page.enabled': flag(false),
  // Conditions that are reported to the operator; 0 means never.
  'alerts.channel_disabled': flag(true),
  'alerts.channel_balance_below': decimal(0, { min: 0, max: 1e9 }),
  'alerts.error_rate_percent': whole(50, 0, 100),
  'alerts.below_cost': flag(true),
  'alerts.reconcile_hours': whole(24, 0, 720),
  // Where they are sent: root only, because messages carry names of channels and reasons of failures.
  'alerts.mail': rootOnly(list([], ',', mailAddress)),
  'alerts.webhook_url': rootOnly(url()),
  'alerts.webhook_secret': secretText(),
  'alerts.telegram_bot_token': secretText(),
  'alerts.telegram_chat_id': rootOnly(text()),
  'alerts.telegram_server': rootOnly(url()),
  // The last part of the URL is the key of the device.
  'alerts.bark_url': secretText(),
  'general_setting.ping_interval_enabled': flag(true),
  'general_setting.ping_interval_seconds': whole(15, 1, 3600),
  'claude.model_headers_settings': json(
    z.record(z.string(), z.record(z.string(), z.array(z.string()))).transform(bare),
    bare<Record<string, string[]>>({}),
  ),
  'claude.default_max_tokens': json(
    z
      .record(z.string().min(1), z.int('must be a whole number').min(1, 'must be at least 1').max(100_000_000))
      .transform((given) => bare({ default: tables.defaultClaudeMaxTokens['default'] ?? 8192, ...given })),
    bare(tables.defaultClaudeMaxTokens),
  ),
  'claude.thinking_adapter_enabled': flag(true),
  'claude.thinking_adapter_budget_tokens_percentage': decimal(0.8, { min: 0.1, max: 1 }),
  'gemini.safety_settings': textTable(tables.defaultGeminiSafety),
  'gemini.version_settings': textTable(tables.defaultGeminiVersions),
  'gemini.supported_imagine_models': textArray(tables.defaultGeminiImagineModels),
  'gemini.thinking_adapter_enabled': flag(false),
  'gemini.thinking_adapter_budget_tokens_percentage': decimal(0.6, { min: 0, max: 1 }),
  'gemini.models_supported_thinking_budget': textArray(tables.defaultGeminiThinkingModels),
};

export type OptionKey = keyof typeof optionRegistry;

/** All current settings, parsed, by their wire key. */
export type OptionValues = {
  readonly [Key in OptionKey]: (typeof optionRegistry)[Key] extends OptionDefinition<infer Value> ? Value : never;
};

export const optionKeys = Object.keys(optionRegistry) as OptionKey[];

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(optionRegistry, key);

/** Returns the definition of a key, when the type of the value does not matter. */
export const definitionOf = (key: OptionKey): OptionDefinition<unknown> => optionRegistry[key];

/** @throws InvalidInputError naming the key, never the value */
export function parseOption<Key extends OptionKey>(key: Key, given: string): OptionValues[Key] {
  try {
    if (given.includes('\0')) throw new OptionValueError('must not contain the character NUL');
    return definitionOf(key).parse(given) as OptionValues[Key];
  } catch (error) {
    if (error instanceof OptionValueError) throw new InvalidInputError(`${key}: ${error.message}`, key);
    throw error;
  }
}

export const optionText = (key: OptionKey, value: unknown): string => definitionOf(key).toText(value);

/** The values before any setting is saved. Tests start from them. */
export const defaultOptionValues = (): OptionValues =>
  Object.fromEntries(optionKeys.map((key) => [key, definitionOf(key).defaultValue])) as unknown as OptionValues;

/**
 * Settings with the address to which the server sends a secret, without a person who watches it. The secret was entered for
 * this address: another one must not receive it.
 */
export const secretsByAddress: Partial<Record<OptionKey, OptionKey>> = { PayAddress: 'EpayKey' };
