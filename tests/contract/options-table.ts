/** How one setting is documented (docs/reference/rest/options.md). */
export interface ContractOption {
  readonly key: string;
  readonly type: 'b' | 'i' | 'f' | 's' | 'j' | 'csv' | 'lines';
  /** The text before any setting is saved. A number is the number of entries of the built-in table or list. */
  readonly byDefault: string | number;
  /** The field of `/api/status` that shows it, with its native type. */
  readonly status?: string;
  readonly secret?: true;
  /** Only root may write it. */
  readonly root?: true;
  /** Accepted values at the edge of the valid range; stored as `text` if that differs from the given value. */
  readonly good?: ReadonlyArray<string | readonly [given: string, text: string]>;
  readonly bad: readonly string[];
}

type More = Partial<Omit<ContractOption, 'key' | 'type'>>;

const option = (key: string, type: ContractOption['type'], byDefault: string | number, more: More): ContractOption => ({
  key,
  type,
  byDefault,
  bad: [],
  ...more,
});
const tooLong = 'x'.repeat(1_000_001);

const flag = (key: string, byDefault: boolean, status?: string, more: More = {}): ContractOption =>
  option(key, 'b', String(byDefault), {
    ...(status ? { status } : {}),
    good: ['true', 'false'],
    bad: ['yes', '1', '', 'null', 'TRUE!'],
    ...more,
  });
const noNumber = ['x', 'NaN', 'Infinity', '0x10', '1e400', 'null', '{}', '1 2'];
/** An empty text of a number counts as 0, where 0 is valid. */
const emptied = ['', '0'] as const;
const whole = (key: string, byDefault: number, min: number, more: More = {}): ContractOption => {
  const { good = [String(min), '7'], bad = [...noNumber, '1.5', String(min - 1), '99999999999999999999'] } = more;
  return option(key, 'i', String(byDefault), {
    ...more,
    ...(min === 0 ? { good: [...good, emptied], bad } : { good, bad: [...bad, ''] }),
  });
};
const quota = (key: string, byDefault: number, more: More = {}): ContractOption =>
  whole(key, byDefault, 0, { ...more, good: ['0', '9000000000000000'] });
const decimal = (key: string, byDefault: number, good: string[], bad: string[], more: More = {}): ContractOption =>
  option(key, 'f', String(byDefault), {
    ...(good.includes('0') ? { good: [...good, emptied] } : { good }),
    bad: [...noNumber, ...bad, ...(good.includes('0') ? [] : [''])],
    ...more,
  });
const text = (key: string, more: More = {}): ContractOption =>
  option(key, 's', '', { good: ['some text'], bad: [tooLong, 'a\0b'], ...more });
const address = (key: string, more: More = {}): ContractOption =>
  option(key, 's', '', {
    good: [
      ...['https://a.example.com/b', '', 'https://a.example.com?x=y'],
      ['http://a.example.com/', 'http://a.example.com'],
      ['a.example.com', 'https://a.example.com'],
      ['a.example.com:8443/b/?c#d', 'https://a.example.com:8443/b/?c#d'],
    ],
    bad: [
      ...[
        'javascript:alert(1)',
        'ftp://a.example.com',
        'https://',
        tooLong,
        'not an address',
        'word',
        '//a.example.com',
      ],
      ...['javascript.example.com:alert(1)', 'a@b.example.com', 'a..example.com', '../a', 'a.example.com:x'],
    ],
    ...more,
  });
const secret = (key: string): ContractOption =>
  option(key, 's', '', { secret: true, root: true, good: ['a-secret-word'], bad: [tooLong] });
const noTable = ['', '{', '[]', 'null', '5', '"x"'];
const ratios = (key: string, byDefault: string | number, more: More = {}): ContractOption =>
  option(key, 'j', byDefault, {
    good: ['{}', '{"a":0}', '{"a":1.5,"b":2}'],
    bad: [...noTable, '{"a":-1}', '{"a":"1"}', '{"a":null}', '{"a":1e10}', '{"":1}'],
    ...more,
  });
const texts = (key: string, byDefault: string | number, more: More = {}): ContractOption =>
  option(key, 'j', byDefault, { good: ['{}', '{"a":"b"}'], bad: [...noTable, '{"a":1}', '{"a":null}'], ...more });
const names = (key: string, byDefault: number): ContractOption =>
  option(key, 'j', byDefault, { good: ['[]', '["a"]'], bad: ['', '{', '{}', '[1]', 'null', '"x"'] });
const root = { root: true } as const;

/** Every key of docs/reference/rest/options.md, in its order. */
export const contractOptions: readonly ContractOption[] = [
  // Access and registration
  flag('PasswordLoginEnabled', true, undefined, { ...root, good: ['true'] }),
  option('SecondFactorRequiredFor', 's', 'none', {
    ...root,
    good: ['none'],
    bad: ['', 'nobody', 'ROOT', '1', 'true'],
  }),
  ...['PasswordRegisterEnabled', 'RegisterEnabled'].map((key) => flag(key, true, undefined, root)),
  flag('EmailVerificationEnabled', false, 'email_verification', root),
  // Preconditions of switches are tested in `identity-options.test.ts`.
  flag('TurnstileCheckEnabled', false, 'turnstile_check', { ...root, good: ['false'] }),
  text('TurnstileSiteKey', { ...root, status: 'turnstile_site_key' }),
  secret('TurnstileSecretKey'),
  flag('EmailDomainRestrictionEnabled', false, undefined, root),
  option('EmailDomainWhitelist', 'csv', 9, {
    ...root,
    good: ['a.example', ['a.example, b.example ,', 'a.example,b.example'], ''],
    bad: ['localhost', 'a.example,a.example', '*.example.com', 'a b.example', 'a.1', '-a.example'],
  }),
  flag('EmailAliasRestrictionEnabled', false, undefined, root),
  flag('GitHubOAuthEnabled', false, 'github_oauth', { ...root, good: ['false'] }),
  text('GitHubClientId', { ...root, status: 'github_client_id' }),
  secret('GitHubClientSecret'),
  flag('LinuxDOOAuthEnabled', false, 'linuxdo_oauth', { ...root, good: ['false'] }),
  text('LinuxDOClientId', { ...root, status: 'linuxdo_client_id' }),
  secret('LinuxDOClientSecret'),
  flag('oidc.enabled', false, 'oidc_enabled', { ...root, good: ['false'] }),
  text('oidc.client_id', { ...root, status: 'oidc_client_id' }),
  secret('oidc.client_secret'),
  address('oidc.well_known', root),
  address('oidc.authorization_endpoint', { ...root, status: 'oidc_authorization_endpoint' }),
  ...['oidc.token_endpoint', 'oidc.user_info_endpoint'].map((key) => address(key, root)),
  flag('WeChatAuthEnabled', false, 'wechat_login', { ...root, good: ['false'] }),
  address('WeChatServerAddress', root),
  secret('WeChatServerToken'),
  address('WeChatAccountQRCodeImageURL', { ...root, status: 'wechat_qrcode' }),
  flag('TelegramOAuthEnabled', false, 'telegram_oauth', { ...root, good: ['false'] }),
  secret('TelegramBotToken'),
  text('TelegramBotName', { ...root, status: 'telegram_bot_name' }),

  // Mail, payment, content
  ...['SMTPServer', 'SMTPAccount', 'SMTPFrom'].map((key) => text(key, root)),
  whole('SMTPPort', 587, 1, { ...root, good: ['1', '65535'] }),
  secret('SMTPToken'),
  flag('SMTPSSLEnabled', false, undefined, root),
  address('ServerAddress', {
    ...root,
    status: 'server_address',
    good: ['https://gate.example', 'http://gate.example:8080'],
  }),
  address('WorkerUrl', root),
  secret('WorkerValidKey'),
  address('PayAddress', {
    ...root,
    good: [
      'https://a.example.com/b',
      '',
      ['a.example.com', 'https://a.example.com'],
      'http://192.168.0.9:8080',
      'http://epay',
    ],
    bad: ['javascript:alert(1)', 'word', 'http://a.example.com', 'http://93.184.216.34', 'http://[2606:4700::1]'],
  }),
  text('EpayId', root),
  secret('EpayKey'),
  decimal('Price', 7.3, ['0.01', '7.25'], ['0', '-1'], { ...root, status: 'price' }),
  whole('MinTopUp', 1, 1, { ...root, status: 'min_topup' }),
  secret('StripeSecretKey'),
  secret('StripeSigningSecret'),
  text('StripeCurrency', {
    ...root,
    byDefault: 'USD',
    good: ['JPY', ['eur', 'EUR']],
    bad: ['US dollar', 'ZZZ', 'KWD', '', 'a\0b'],
  }),
  decimal('StripePrice', 1, ['0.01', '150.4'], ['0', '-1'], root),
  whole('StripeMinTopUp', 1, 1, root),
  address('CustomCallbackAddress', root),
  ratios('TopupGroupRatio', '{"default":1,"vip":1,"svip":1}', root),
  address('TopUpLink', { ...root, status: 'top_up_link' }),
  text('statements.time_zone', {
    ...root,
    byDefault: 'UTC',
    good: ['Asia/Tokyo'],
    bad: ['+08:00', 'Nowhere', '', 'a\0b'],
  }),
  ...['seller_name', 'seller_address', 'seller_tax_id', 'note'].map((name) => text(`statements.${name}`, root)),
  ...['Notice', 'About', 'HomePageContent'].map((key) =>
    text(key, { good: [' <b>kept</b> as typed '], bad: [tooLong] }),
  ),
  // The default is Tollgate's own name.
  option('SystemName', 's', 'Tollgate', { status: 'system_name', good: ['Another'], bad: ['x'.repeat(101), 'a\0b'] }),
  option('Logo', 's', '', {
    status: 'logo',
    good: ['https://a.example.com/b.png', '/logo.png', '/a/b-c.svg', ''],
    bad: ['javascript:alert(1)', '//a.example.com/b.png', '/\\a.example.com', '/a"b', '/../', 'logo.png', tooLong],
  }),
  text('Footer', { status: 'footer_html', bad: [tooLong] }),
  // The default is empty here. Older consoles link to their maker's page.
  address('general_setting.docs_link', { status: 'docs_link' }),
  option('Chats', 'j', '[]', {
    ...root,
    status: 'chats',
    good: ['[]', '[{"One":"https://one.example/{key}"}]'],
    bad: ['', '{', '{}', '[1]', '[{"One":1}]', 'null'],
  }),

  // Operation
  decimal('QuotaPerUnit', 500_000, ['1', '500000'], ['0', '-1'], { status: 'quota_per_unit' }),
  flag('DisplayInCurrencyEnabled', true, 'display_in_currency'),
  text('general_setting.quota_display_type', {
    byDefault: 'USD',
    status: 'quota_display_type',
    good: ['CNY', 'CUSTOM', 'USD'],
    bad: ['EUR', 'usd', '', 'a\0b'],
  }),
  decimal('USDExchangeRate', 7.3, ['0.01', '7.25'], ['0', '-1'], { status: 'usd_exchange_rate' }),
  text('general_setting.custom_currency_symbol', {
    byDefault: '¤',
    status: 'custom_currency_symbol',
    good: ['₽'],
    bad: ['x'.repeat(17), 'a\0b'],
  }),
  decimal('general_setting.custom_currency_exchange_rate', 1, ['0.01', '90.5'], ['0', '-1'], {
    status: 'custom_currency_exchange_rate',
  }),
  flag('DisplayTokenStatEnabled', true),
  ...['QuotaForNewUser', 'QuotaForInviter', 'QuotaForInvitee'].map((key) => quota(key, 0)),
  quota('QuotaRemindThreshold', 1000),
  quota('PreConsumedQuota', 500),
  flag('StrictReserve', true),
  whole('StrictReserveOutput', 16_384, 1),
  whole('RetryTimes', 0, 0),
  flag('OrganizationCreationEnabled', true, 'organization_creation_enabled'),
  flag('CheckInEnabled', false, 'check_in_enabled'),
  quota('CheckInQuota', 1000),
  quota('CheckInMaxQuota', 0),
  flag('RebateEnabled', false),
  decimal('RebatePercentage', 0, ['0', '0.5', '100'], ['-0.1', '100.1']),
  flag('DemoSiteEnabled', false, 'demo_site_enabled'),
  flag('SelfUseModeEnabled', false, 'self_use_mode_enabled'),
  flag('DefaultCollapseSidebar', false, 'default_collapse_sidebar'),
  flag('DrawingEnabled', true, 'enable_drawing'),
  flag('TaskEnabled', true, 'enable_task'),
  flag('MjNotifyEnabled', false, 'mj_notify_enabled'),
  flag('MjAccountFilterEnabled', false),
  flag('MjForwardUrlEnabled', true),
  flag('MjModeClearEnabled', false),
  ...['MjActionCheckSuccessEnabled', 'CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled'].map((key) =>
    flag(key, true),
  ),
  flag('StopOnSensitiveEnabled', true),
  whole('StreamCacheQueueLength', 0, 0),
  option('SensitiveWords', 'lines', 'test_sensitive', {
    good: ['one\nregex:^a+$', ['one\r\n\n two ', 'one\ntwo'], ''],
    bad: ['regex:(', 'fine\nregex:[', tooLong],
  }),
  flag('LogConsumeEnabled', true),
  flag('LogChatContentEnabled', false),
  flag('DataExportEnabled', true, 'enable_data_export'),
  whole('DataExportInterval', 5, 1),
  option('DataExportDefaultTime', 's', 'hour', {
    status: 'data_export_default_time',
    good: ['hour', 'day', 'week'],
    bad: ['', 'year', 'HOUR', 'null'],
  }),
  decimal('ChannelDisableThreshold', 5, ['0', '2.5'], ['-1']),
  flag('AutomaticDisableChannelEnabled', false),
  flag('AutomaticEnableChannelEnabled', false),
  option('AutomaticDisableKeywords', 'lines', 7, { good: ['one\ntwo', ''], bad: [tooLong] }),
  ...['FileUploadPermission', 'FileDownloadPermission', 'ImageUploadPermission', 'ImageDownloadPermission'].map((key) =>
    whole(key, 0, 0),
  ),

  // Models, groups, limits
  ratios('ModelRatio', 180),
  ratios('ModelPrice', 21),
  ratios('CompletionRatio', 3),
  ratios('CacheRatio', 68),
  ratios('ModelMaxOutput', '{}'),
  option('PriceSyncSources', 'lines', '', {
    good: ['https://a.example/x.json\nhttp://b.example', ''],
    bad: [
      'a.example',
      'ftp://a.example',
      `https://a.example/${'x'.repeat(500)}`,
      'https://a.example\nhttps://a.example',
    ],
    ...root,
  }),
  whole('PriceSyncHours', 0, 0, root),
  decimal('PriceSyncThreshold', 1, ['0', '2.5'], ['-1', '1001'], root),
  decimal('PriceSyncMarkup', 1, ['0.5', '100'], ['0', '-1', '101'], root),
  flag('PriceSyncApply', false, undefined, root),
  option('ToolPrices', 'j', '{}', {
    good: ['{}', '{"gpt-*":{"webSearch":0.01},"m":{"codeExecution":0}}'],
    bad: [...noTable, '{"m":{"webSearch":-1}}', '{"m":{"input":1}}', '{"a*b":{"webSearch":1}}', '{"m":1}'],
  }),
  option('UnpricedTools', 's', 'refuse', { good: ['refuse', 'free'], bad: ['', 'charge'] }),
  option('PriceCards', 'j', '{}', {
    good: ['{}', '{"m*":{"prices":{"input":1}},"n":"built-in"}'],
    bad: [...noTable, '{"m":{}}', '{"m":{"prices":{"input":-1}}}', '{"a*b":{"prices":{"input":1}}}', '{"m":"other"}'],
  }),
  ratios('GroupRatio', '{"default":1,"vip":1,"svip":1}'),
  texts('UserUsableGroups', '{"default":"Default group","vip":"VIP group"}'),
  flag('ModelRequestRateLimitEnabled', false),
  whole('ModelRequestRateLimitDurationMinutes', 1, 0),
  whole('ModelRequestRateLimitCount', 0, 0, { good: ['0', '10', ['-1', '0']], bad: [...noNumber, '1.5', '-2'] }),
  whole('ModelRequestRateLimitSuccessCount', 1000, 1),
  ...['pass_through_request_enabled', 'hide_upstream_error_enabled', 'block_browser_extension_enabled'].map((key) =>
    flag(`global.${key}`, false),
  ),
  flag('alerts.channel_disabled', true),
  decimal('alerts.channel_balance_below', 0, ['0', '2.5'], ['-1']),
  whole('alerts.error_rate_percent', 50, 0, { good: ['0', '100'], bad: [...noNumber, '1.5', '-1', '101'] }),
  flag('alerts.below_cost', true),
  whole('alerts.reconcile_hours', 24, 0, { good: ['0', '720'], bad: [...noNumber, '1.5', '-1', '721'] }),
  option('alerts.mail', 'csv', '', {
    good: ['a@example.com,b@example.com', ''],
    bad: ['a', 'a@b@c', 'a@b.c,a@b.c'],
    ...root,
  }),
  address('alerts.webhook_url', root),
  secret('alerts.webhook_secret'),
  secret('alerts.telegram_bot_token'),
  text('alerts.telegram_chat_id', root),
  address('alerts.telegram_server', root),
  secret('alerts.bark_url'),
  flag('general_setting.ping_interval_enabled', true),
  whole('general_setting.ping_interval_seconds', 15, 1),
  option('claude.model_headers_settings', 'j', '{}', {
    good: ['{}', '{"m":{"h":["v","w"]}}'],
    bad: [...noTable, '{"m":["h"]}', '{"m":{"h":"v"}}', '{"m":{"h":[1]}}'],
  }),
  option('claude.default_max_tokens', 'j', '{"default":8192}', {
    good: [['{}', '{"default":8192}'], '{"default":100,"m":5}', ['{"m":4096}', '{"default":8192,"m":4096}']],
    bad: [...noTable, '{"m":0.5}', '{"m":0}', '{"m":"5"}'],
  }),
  flag('claude.thinking_adapter_enabled', true),
  decimal('claude.thinking_adapter_budget_tokens_percentage', 0.8, ['0.1', '1'], ['0.09', '1.1']),
  texts('gemini.safety_settings', 5),
  texts('gemini.version_settings', 2),
  names('gemini.supported_imagine_models', 2),
  flag('gemini.thinking_adapter_enabled', false),
  decimal('gemini.thinking_adapter_budget_tokens_percentage', 0.6, ['0', '1'], ['-0.1', '1.1']),
  names('gemini.models_supported_thinking_budget', 3),
  option('guardrails.rules', 'j', '[]', { ...root, good: ['[]'], bad: ['{}', 'x', '[{}]'] }),
  secret('guardrails.moderation_token'),
  secret('guardrails.webhook_secret'),
  option('content_capture.rules', 'j', '[]', { ...root, good: ['[]'], bad: ['{}', 'x', '[{}]'] }),
  whole('content_capture.retention_days', 30, 1, {
    ...root,
    good: ['1', '3650'],
    bad: [...noNumber, '1.5', '0', '3651'],
  }),
  flag('LogErrorEnabled', true),
  option('ModelRequestRateLimitGroup', 'j', '{}', {
    good: ['{"vip":[0,100]}', '{}'],
    bad: [...noTable, '{"vip":5}', '{"vip":[1]}', '{"vip":[-1,1]}'],
  }),
  whole('ModelRequestUserInFlightLimit', 1000, 0),
  whole('ModelRequestNodeInFlightLimit', 10_000, 0),
  whole('ModelRequestTokenInFlightLimit', 0, 0),
  flag('global.requested_model_in_answers', true),
  whole('files.max_file_mb', 512, 1, { good: ['1', '7'] }),
  whole('files.max_user_mb', 10_240, 1, { good: ['1', '7'] }),
  whole('files.max_user_count', 1000, 0),
  option('files.allowed_paid', 'csv', '', {
    good: ['', 'vector_stores,cachedContents'],
    bad: ['files', 'vector_stores,x'],
  }),
  option('batches.log_rows', 's', 'batch', { good: ['batch', 'line'], bad: ['', 'lines'] }),
  flag('session_affinity.enabled', true),
  option('session_affinity.ttl_seconds', 'j', '{"*":1800}', {
    good: ['{"*":0,"gpt-*":60}', '{}'],
    bad: [...noTable, '{"*":-1}', '{"*":"60"}'],
  }),
  whole('session_affinity.min_prompt_bytes', 4096, 0),
  option('channel_order.default', 's', 'weight', { good: ['cost', 'first_token', 'weight'], bad: ['', 'price'] }),
  ...['channel_order.by_group', 'channel_order.by_model'].map((key) =>
    option(key, 'j', '{}', { good: ['{"vip":"cost"}', '{}'], bad: [...noTable, '{"vip":"price"}'] }),
  ),
  ...['fallback_models.by_model', 'fallback_models.by_group'].map((key) =>
    option(key, 'j', '{}', { good: ['{"m":["a","b"]}', '{}'], bad: [...noTable, '{"m":"a"}', '{"m":[""]}'] }),
  ),
  whole('hedged_attempts.percentile', 0, 0, { good: ['0', '99'], bad: [...noNumber, '1.5', '-1', '100'] }),
  option('model_health.access', 's', 'user', { good: ['public', 'off', 'user'], bad: ['', 'admin'] }),
  flag('status_page.enabled', false),
];
