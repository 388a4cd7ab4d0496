import type { en } from '../../i18n/en/en.js';
import { choice, content, enabledBy, flag, json, lines, number, secret, text, type Setting } from './settingKinds.js';

export type SectionId = keyof typeof en.settings.sections;

export interface Section {
  readonly id: SectionId;
  readonly settings: readonly Setting[];
}

/** The first setting of payments by card. */
export const cardPayments = 'StripeSecretKey';

export const tabs = ['operation', 'ratelimit', 'models', 'system', 'other'] as const;
export type Tab = (typeof tabs)[number];

const operation: readonly Section[] = [
  {
    id: 'general',
    settings: [
      number('QuotaPerUnit', 'quotaPerUnit', { minimum: 1, decimal: true }),
      number('RetryTimes', 'retryTimes', { maximum: 100 }),
      flag('DisplayInCurrencyEnabled', 'displayInCurrency'),
      choice('general_setting.quota_display_type', 'displayCurrency', ['USD', 'CNY', 'CUSTOM']),
      number('USDExchangeRate', 'usdExchangeRate', { unit: 'yuan', decimal: true }),
      text('general_setting.custom_currency_symbol', 'customCurrencySymbol', '€'),
      number('general_setting.custom_currency_exchange_rate', 'customCurrencyRate', { decimal: true }),
      flag('DisplayTokenStatEnabled', 'displayTokenStat'),
      flag('DefaultCollapseSidebar', 'collapseSideBar'),
      text('general_setting.docs_link', 'docsLink', 'https://docs.example.com'),
      flag('SelfUseModeEnabled', 'selfUse'),
      flag('DemoSiteEnabled', 'demoSite'),
    ],
  },
  {
    id: 'drawing',
    settings: [
      flag('DrawingEnabled', 'drawing'),
      flag('TaskEnabled', 'tasks'),
      flag('MjNotifyEnabled', 'drawingCallback'),
      flag('MjAccountFilterEnabled', 'drawingAccountFilter'),
      flag('MjForwardUrlEnabled', 'drawingForwardUrl'),
      flag('MjModeClearEnabled', 'drawingModeClear'),
      flag('MjActionCheckSuccessEnabled', 'drawingActionCheck'),
    ],
  },
  {
    id: 'sensitiveWords',
    settings: [
      flag('CheckSensitiveEnabled', 'checkSensitive'),
      flag('CheckSensitiveOnPromptEnabled', 'checkSensitivePrompt'),
      flag('StopOnSensitiveEnabled', 'stopOnSensitive'),
      lines('SensitiveWords', 'sensitiveWords'),
    ],
  },
  {
    id: 'guardrails',
    settings: [
      {
        kind: 'guardrails',
        key: 'guardrails.rules',
        name: 'guardrailRules',
        example: '[{ "name": "mail", "check": "patterns", "…": "…" }]',
      },
      secret('guardrails.moderation_token', 'guardrailModerationKey'),
      secret('guardrails.webhook_secret', 'guardrailWebhookSecret'),
    ],
  },
  {
    id: 'contentCapture',
    settings: [
      {
        kind: 'captures',
        key: 'content_capture.rules',
        name: 'captureRules',
        example: '[{ "groups": ["beta"], "percent": 10 }]',
      },
      number('content_capture.retention_days', 'captureDays', { minimum: 1, maximum: 3650 }),
    ],
  },
  {
    id: 'log',
    settings: [
      flag('LogConsumeEnabled', 'logConsume'),
      choice('batches.log_rows', 'batchRows', ['batch', 'line']),
      flag('LogErrorEnabled', 'logErrors'),
      flag('LogChatContentEnabled', 'logContent'),
    ],
  },
  {
    id: 'dataDashboard',
    settings: [
      flag('DataExportEnabled', 'dataExport'),
      choice('DataExportDefaultTime', 'dataGranularity', ['hour', 'day', 'week']),
      choice('model_health.access', 'modelHealth', ['public', 'user', 'off']),
      flag('status_page.enabled', 'statusPage'),
    ],
  },
  {
    id: 'monitoring',
    settings: [
      number('ChannelDisableThreshold', 'slowestAnswer', { maximum: 86_400, decimal: true, unit: 'seconds' }),
      number('QuotaRemindThreshold', 'quotaReminder', { unit: 'quota' }),
      flag('AutomaticDisableChannelEnabled', 'disableOnFailure'),
      flag('AutomaticEnableChannelEnabled', 'enableOnSuccess'),
      lines('AutomaticDisableKeywords', 'disableKeywords'),
    ],
  },
  {
    id: 'alerts',
    settings: [
      flag('alerts.channel_disabled', 'alertDisabled'),
      number('alerts.channel_balance_below', 'alertBalance', { decimal: true, unit: 'dollars' }),
      number('alerts.error_rate_percent', 'alertErrors', { maximum: 100, unit: 'percent' }),
      flag('alerts.below_cost', 'alertBelowCost'),
      number('alerts.reconcile_hours', 'alertReconcile', { maximum: 720, unit: 'hours' }),
      text('alerts.mail', 'alertMail', 'ops@example.com, boss@example.com'),
      text('alerts.webhook_url', 'alertWebhook', 'https://hooks.example.com/…'),
      secret('alerts.webhook_secret', 'alertWebhookSecret'),
      secret('alerts.telegram_bot_token', 'alertTelegramToken'),
      text('alerts.telegram_chat_id', 'alertTelegramChat', '-1001234567890'),
      text('alerts.telegram_server', 'alertTelegramServer', 'https://api.telegram.org'),
      secret('alerts.bark_url', 'alertBark'),
    ],
  },
  {
    id: 'checkIn',
    settings: [
      flag('CheckInEnabled', 'checkIn'),
      number('CheckInQuota', 'checkInQuota', { unit: 'quota', step: 100 }),
      number('CheckInMaxQuota', 'checkInMaxQuota', { unit: 'quota', step: 100 }),
    ],
  },
  {
    id: 'quota',
    settings: [
      number('QuotaForNewUser', 'quotaNewUser', { unit: 'quota' }),
      flag('StrictReserve', 'strictReserve'),
      number('StrictReserveOutput', 'strictReserveOutput', { minimum: 1 }),
      json('ModelMaxOutput', 'modelMaxOutput', '{ "my-model": 8192 }'),
      json('ToolPrices', 'toolPrices', '{ "gpt-*": { "webSearch": 0.01 } }'),
      choice('UnpricedTools', 'unpricedTools', ['refuse', 'free']),
      number('PreConsumedQuota', 'quotaPreConsumed', { unit: 'quota' }),
      number('QuotaForInviter', 'quotaInviter', { unit: 'quota' }),
      number('QuotaForInvitee', 'quotaInvitee', { unit: 'quota' }),
      flag('RebateEnabled', 'rebate'),
      enabledBy(
        'RebateEnabled',
        number('RebatePercentage', 'rebateShare', { decimal: true, maximum: 100, unit: 'percent' }),
      ),
    ],
  },
  { id: 'chatLinks', settings: [{ kind: 'chats', key: 'Chats', name: 'chats' }] },
  {
    id: 'groupRatios',
    settings: [
      json('GroupRatio', 'groupRatio', '{ "default": 1, "vip": 0.8 }'),
      json('UserUsableGroups', 'usableGroups', '{ "default": "…", "vip": "…" }'),
    ],
  },
];

const rateLimits: readonly Section[] = [
  {
    id: 'modelRequests',
    settings: [
      flag('ModelRequestRateLimitEnabled', 'rateLimit'),
      number('ModelRequestRateLimitDurationMinutes', 'ratePeriod', { maximum: 525_600, unit: 'minutes' }),
      number('ModelRequestRateLimitCount', 'rateRequests'),
      number('ModelRequestRateLimitSuccessCount', 'rateSuccesses', { minimum: 1 }),
      json('ModelRequestRateLimitGroup', 'rateGroups', '{ "vip": [100, 50] }'),
      number('ModelRequestUserInFlightLimit', 'inFlightPerUser'),
      number('ModelRequestTokenInFlightLimit', 'inFlightPerToken'),
      number('ModelRequestNodeInFlightLimit', 'inFlightPerNode'),
    ],
  },
  { id: 'budgets', settings: [] },
  {
    id: 'files',
    settings: [
      number('files.max_file_mb', 'fileSize', { minimum: 1, maximum: 1_000_000 }),
      number('files.max_user_mb', 'filesSize', { minimum: 1, maximum: 1_000_000_000 }),
      number('files.max_user_count', 'filesCount'),
      text('files.allowed_paid', 'filesPaid', 'vector_stores, containers'),
    ],
  },
];

const models: readonly Section[] = [
  {
    id: 'global',
    settings: [
      flag('global.pass_through_request_enabled', 'passThrough'),
      flag('global.hide_upstream_error_enabled', 'hideUpstreamErrors'),
      flag('global.block_browser_extension_enabled', 'blockExtensions'),
      flag('global.requested_model_in_answers', 'requestedModel'),
      flag('session_affinity.enabled', 'sessionAffinity'),
      enabledBy(
        'session_affinity.enabled',
        json('session_affinity.ttl_seconds', 'sessionAffinityTtl', '{ "*": 1800, "claude-*": 300 }'),
      ),
      enabledBy('session_affinity.enabled', number('session_affinity.min_prompt_bytes', 'sessionAffinityMin')),
      flag('general_setting.ping_interval_enabled', 'ping'),
      enabledBy(
        'general_setting.ping_interval_enabled',
        number('general_setting.ping_interval_seconds', 'pingSeconds', {
          minimum: 1,
          maximum: 3600,
          unit: 'seconds',
        }),
      ),
    ],
  },
  {
    id: 'routing',
    settings: [
      choice('channel_order.default', 'channelOrder', ['weight', 'cost', 'first_token']),
      json('channel_order.by_group', 'channelOrderByGroup', '{ "vip": "first_token" }'),
      json('channel_order.by_model', 'channelOrderByModel', '{ "gpt-4o*": "cost" }'),
      number('hedged_attempts.percentile', 'hedgePercentile', { maximum: 99, unit: 'percent' }),
      json('fallback_models.by_model', 'fallbackByModel', '{ "gpt-4o": ["gpt-4.1"], "claude-*": ["gpt-4.1"] }'),
      json('fallback_models.by_group', 'fallbackByGroup', '{ "default": ["gpt-4o-mini"] }'),
    ],
  },
  {
    id: 'gemini',
    settings: [
      json('gemini.safety_settings', 'geminiSafety', '{ "default": "OFF" }'),
      json('gemini.version_settings', 'geminiVersions', '{ "default": "v1beta" }'),
      json('gemini.supported_imagine_models', 'geminiImages', '["gemini-2.0-flash-exp"]'),
      json('gemini.models_supported_thinking_budget', 'geminiThoughts', '["gemini-2.5-pro"]'),
      flag('gemini.thinking_adapter_enabled', 'geminiThinking'),
      enabledBy(
        'gemini.thinking_adapter_enabled',
        number('gemini.thinking_adapter_budget_tokens_percentage', 'geminiThinkingShare', {
          decimal: true,
          maximum: 1,
        }),
      ),
    ],
  },
  {
    id: 'claude',
    settings: [
      json('claude.model_headers_settings', 'claudeHeaders', '{ "claude-…": { "anthropic-beta": ["…"] } }'),
      json('claude.default_max_tokens', 'claudeMaxTokens', '{ "default": 8192 }'),
      flag('claude.thinking_adapter_enabled', 'claudeThinking'),
      enabledBy(
        'claude.thinking_adapter_enabled',
        number('claude.thinking_adapter_budget_tokens_percentage', 'claudeThinkingShare', {
          decimal: true,
          minimum: 0.1,
          maximum: 1,
        }),
      ),
    ],
  },
];

const system: readonly Section[] = [
  {
    id: 'server',
    settings: [
      text('ServerAddress', 'serverAddress', 'https://gate.example.com'),
      text('WorkerUrl', 'workerUrl', 'https://worker.example.com'),
      secret('WorkerValidKey', 'workerKey'),
    ],
  },
  {
    id: 'payment',
    settings: [
      text('PayAddress', 'payAddress', 'https://pay.example.com'),
      text('EpayId', 'payId'),
      secret('EpayKey', 'payKey'),
      number('Price', 'price', { decimal: true, minimum: 0.000001, unit: 'yuan' }),
      number('MinTopUp', 'minTopUp', { minimum: 1 }),
      secret(cardPayments, 'stripeKey'),
      secret('StripeSigningSecret', 'stripeSigning'),
      text('StripeCurrency', 'stripeCurrency'),
      number('StripePrice', 'stripePrice', { decimal: true, minimum: 0.000001 }),
      number('StripeMinTopUp', 'stripeMinTopUp', { minimum: 1 }),
      text('CustomCallbackAddress', 'payCallback', 'https://gate.example.com'),
      text('TopUpLink', 'topUpLink', 'https://shop.example.com'),
      json('TopupGroupRatio', 'topUpGroupRatio', '{ "default": 1, "vip": 0.95 }'),
    ],
  },
  {
    id: 'statements',
    settings: [
      text('statements.time_zone', 'statementZone', 'Asia/Tokyo'),
      text('statements.seller_name', 'statementSeller'),
      text('statements.seller_address', 'statementAddress'),
      text('statements.seller_tax_id', 'statementTaxId'),
      text('statements.note', 'statementNote'),
    ],
  },
  {
    id: 'mail',
    settings: [
      text('SMTPServer', 'smtpServer', 'smtp.example.com'),
      number('SMTPPort', 'smtpPort', { minimum: 1, maximum: 65_535 }),
      text('SMTPAccount', 'smtpAccount'),
      text('SMTPFrom', 'smtpFrom', 'no-reply@example.com'),
      secret('SMTPToken', 'smtpToken'),
      flag('SMTPSSLEnabled', 'smtpSsl'),
    ],
  },
  {
    id: 'signIn',
    settings: [
      flag('PasswordLoginEnabled', 'passwordLogin'),
      choice('SecondFactorRequiredFor', 'secondFactorFor', ['none', 'root', 'admins', 'everyone']),
    ],
  },
  {
    id: 'registration',
    settings: [
      flag('RegisterEnabled', 'register'),
      flag('PasswordRegisterEnabled', 'passwordRegister'),
      flag('OrganizationCreationEnabled', 'organisationCreation'),
      flag('EmailVerificationEnabled', 'emailVerification'),
      flag('TurnstileCheckEnabled', 'turnstile'),
      text('TurnstileSiteKey', 'turnstileSiteKey'),
      secret('TurnstileSecretKey', 'turnstileSecret'),
    ],
  },
  {
    id: 'emailDomains',
    settings: [
      flag('EmailDomainRestrictionEnabled', 'emailDomainLimit'),
      flag('EmailAliasRestrictionEnabled', 'emailAliasLimit'),
      { kind: 'domains', key: 'EmailDomainWhitelist', name: 'emailDomains' },
    ],
  },
];

const other: readonly Section[] = [
  {
    id: 'content',
    settings: [
      content('Notice', 'notice'),
      text('SystemName', 'systemName'),
      { kind: 'image', key: 'Logo', name: 'logo', placeholder: 'https://example.com/logo.png' },
      content('HomePageContent', 'homePage'),
      content('About', 'about'),
      content('Footer', 'footer'),
    ],
  },
];

export const sectionsOf: Readonly<Record<Tab, readonly Section[]>> = {
  operation,
  ratelimit: rateLimits,
  models,
  system,
  other,
};
