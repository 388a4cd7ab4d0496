import { z } from 'zod';
import { flag, named, parameter, seconds, text, type ApiSection } from '../../platform/http/openapi/operation.js';
import { failureKinds } from '../../shared/failure-kind.js';
import { serviceStates } from '../../shared/service-state.js';
import { setupBody } from './setup.wire.js';

const statusShape = named('Status', 'Public settings of the site, never null.', {
  version: text('Version of the server'),
  start_time: seconds('Start of the process'),
  setup: flag('The site is set up. False sends clients to `/setup`'),
  system_name: text('Option `SystemName`'),
  logo: text('Option `Logo`'),
  footer_html: text('Option `Footer`'),
  server_address: text('Option `ServerAddress`, or its default'),
  docs_link: text('Option `general_setting.docs_link`'),
  top_up_link: text('Option `TopUpLink`'),
  email_verification: flag('Registration needs a code by mail'),
  turnstile_check: flag('Sign-in and registration need a bot check'),
  turnstile_site_key: text('Key of the bot check'),
  github_oauth: flag('Sign-in with GitHub is on'),
  github_client_id: text('Client of the site at GitHub'),
  linuxdo_oauth: flag('Sign-in with Linux DO is on'),
  linuxdo_client_id: text('Client of the site at Linux DO'),
  oidc_enabled: flag('Sign-in with OIDC is on'),
  oidc_client_id: text('Client of the site at the OIDC provider'),
  oidc_authorization_endpoint: text('URL at which the sign-in with OIDC begins'),
  telegram_oauth: flag('Sign-in with Telegram is on'),
  telegram_bot_name: text('Bot of the site at Telegram'),
  wechat_login: flag('Sign-in with WeChat is on'),
  wechat_qrcode: text('URL of the QR code of the WeChat account'),
  price: z.number().describe('Units of the local currency per USD'),
  min_topup: z.number().describe('Smallest top-up in USD'),
  enable_online_topup: flag('A payment provider is configured'),
  quota_per_unit: z.number().describe('Quota that is one USD'),
  display_in_currency: flag('Amounts are shown as USD'),
  enable_batch_update: flag('Always false; older clients read it'),
  enable_drawing: flag('Option `DrawingEnabled`'),
  enable_task: flag('Option `TaskEnabled`'),
  enable_data_export: flag('Dashboards are on'),
  enable_model_health: flag('Users see the health of models'),
  public_model_health: flag('Visitors see the health of models'),
  enable_status_page: flag('There is a status page'),
  data_export_default_time: text('Initial bucket of dashboards: `hour`, `day` or `week`'),
  default_collapse_sidebar: flag('Option `DefaultCollapseSidebar`'),
  mj_notify_enabled: flag('Option `MjNotifyEnabled`'),
  chats: z.array(z.record(z.string(), z.string())).describe('Links to chat clients, by name'),
  demo_site_enabled: flag('Option `DemoSiteEnabled`'),
  self_use_mode_enabled: flag('Models without a price are allowed'),
  check_in_enabled: flag('Users may check in'),
  checkin_enabled: flag('The name of `check_in_enabled` in new-api'),
  chat_link: text('Always empty; older clients read it'),
  chat_link2: text('Always empty; older clients read it'),
  register_enabled: flag('Visitors may register'),
  password_login_enabled: flag('Users may sign in with a password'),
  password_register_enabled: flag('Visitors may register with a password'),
});

const publicText = (summary: string): ApiSection['operations'][`GET /${string}`] => ({
  summary,
  role: 'anonymous',
  data: z.string().describe('Sanitized HTML or Markdown'),
  example: {},
});

const priced = named('PricedModel', 'A model of an enabled channel with its price.', {
  model_name: text('Name to call'),
  quota_type: z.int().describe('0: by tokens, 1: a fixed price a call'),
  model_ratio: z.number().describe('Input price; 1 is 2 USD per million tokens'),
  model_price: z.number().describe('USD a call, for `quota_type` 1'),
  owner_by: text('Always empty'),
  completion_ratio: z.number().describe('Output price as a factor of the input price'),
  supported_endpoint_types: z
    .array(z.string())
    .describe('Dialects in which it can be called, by their names in new-api'),
  enable_groups: z.array(z.string()).optional().describe('Groups in which channels serve it'),
  price_card: z.record(z.string(), z.unknown()).optional().describe('With `cards=true`: every price in USD'),
});

const ratios = z.record(z.string(), z.number()).describe('Numbers by model');

const modelHealth = named('ModelHealth', 'How well a model serves the calls of a group.', {
  model_name: text('Name to call'),
  group: text('Group of the calls'),
  success_rate: z.number().nullable().describe('Share of served calls, 0 to 1'),
  first_token_p50_ms: z.number().nullable().describe('Milliseconds to the first data of half of the streams'),
  first_token_p95_ms: z.number().nullable().describe('Milliseconds to the first data of 95 % of the streams'),
  tokens_per_second: z.number().nullable().describe('Completion tokens per second'),
  last_failure: z
    .object({ kind: z.enum(failureKinds), at: seconds('Time of the failure') })
    .nullable()
    .describe('Kind and time of the last failure, without its provider'),
  calls: z.int().optional().describe('Served and failed calls, for admins'),
});

const state = z.enum(serviceStates);
const serviceStatus = named('ServiceStatus', 'The state of a model in a group.', {
  model_name: text('Name to call'),
  group: text('Group of the calls'),
  state: state.describe('State of the running hour'),
  uptime: z.number().describe('Share of the hours without an outage, 0 to 1, rounded down'),
  problems: z.array(z.object({ bucket: z.int(), state })).describe('Buckets with problems; 0 is the oldest'),
});
const incident = named('Incident', 'A stretch of hours with problems.', {
  model_name: text('Name to call'),
  groups: z.array(z.string()).describe('Groups with problems at that time'),
  state: state.describe('State of its worst hour'),
  from: seconds('Start of its first hour'),
  until: seconds('End of its last hour; null while it lasts').nullable(),
});

/** Set-up, status, public texts and the price list. */
export const siteSection: ApiSection = {
  name: 'Site',
  description: 'What visitors may read, and the set-up of a new site.',
  operations: {
    'GET /api/setup': {
      summary: 'Whether the site is set up',
      role: 'anonymous',
      response: z.object({
        success: z.literal(true),
        data: z.object({ status: z.boolean(), root_init: z.boolean(), database_type: z.string() }),
      }),
      example: {},
    },
    'POST /api/setup': {
      summary: 'Set up a new site',
      description:
        'Creates the root user. From another machine it needs the set-up code that the server prints at start.',
      role: 'anonymous',
      body: setupBody,
      errors: ['ALREADY_SET_UP', 'SETUP_CODE_NEEDED'],
      example: {
        body: { username: 'root', password: 'long enough', confirmPassword: 'long enough' },
        fails: 'ALREADY_SET_UP',
      },
    },
    'GET /api/status': { summary: 'Public settings', role: 'anonymous', data: statusShape, example: {} },
    'GET /api/status/test': {
      summary: 'Check the database',
      description: 'Succeeds with "Server is running", or fails with 503 "Database connection failed".',
      role: 'admin',
      example: {},
    },
    'GET /api/notice': publicText('The notice of the site'),
    'GET /api/about': publicText('The text about the site'),
    'GET /api/home_page_content': publicText('The text of the first page'),
    'GET /api/pricing': {
      summary: 'Models with their prices',
      role: 'anonymous',
      query: { cards: parameter.choice('Add every price of a model in USD') },
      response: z.object({
        success: z.literal(true),
        data: z.array(priced),
        group_ratio: z.record(z.string(), z.number()),
        usable_group: z.record(z.string(), z.string()),
      }),
      example: { query: { cards: true } },
    },
    'GET /api/ratio_config': {
      summary: 'Ratios and prices by model, as sites of new-api read them',
      description: 'Of models that the caller can call. `/api/pricing` has their groups too.',
      role: 'anonymous',
      data: z.object({
        model_ratio: ratios,
        completion_ratio: ratios,
        cache_ratio: ratios,
        model_price: ratios,
      }),
      example: {},
    },
    'GET /api/model_health': {
      summary: 'How well models serve calls',
      description: 'Option `model_health.access` may open it to visitors, or switch it off.',
      role: 'common',
      query: { window: parameter.words('`1h`, `24h` (the default) or `7d`') },
      data: z.object({ from: seconds('The figures cover the time since then'), models: z.array(modelHealth) }),
      example: { query: { window: '24h' } },
    },
    'GET /api/model_health/badge/:model': {
      summary: 'A badge for shields.io',
      description: 'The endpoint format of shields.io. Option `model_health.access` may open it to visitors.',
      role: 'common',
      path: { model: parameter.words('Name of the model; slashes as %2F') },
      query: {
        window: parameter.words('`1h`, `24h` (the default) or `7d`'),
        group: parameter.words('Only this group'),
      },
      response: z.object({
        schemaVersion: z.literal(1),
        label: text('Name of the model'),
        message: text('Success rate, or `no data`'),
        color: text('Color of the rate'),
        cacheSeconds: z.int().describe('How long it may be kept'),
      }),
      example: { path: { model: 'gpt-4o' } },
    },
    'GET /api/status_page': {
      summary: 'The state of what the site sells',
      description: 'For everyone while option `status_page.enabled` is on.',
      role: 'anonymous',
      query: { window: parameter.words('`24h` (the default), `7d`, `30d` or `90d`') },
      data: z.object({
        from: seconds('Start of the oldest bucket'),
        until: seconds('End of the newest'),
        bucket_seconds: z.int().describe('Length of a bucket'),
        state: state.describe('The worst of all models'),
        models: z.array(serviceStatus),
        incidents: z.array(incident).describe('The newest 50'),
      }),
      example: { query: { window: '24h' } },
    },
    'GET /api/models': {
      summary: 'Built-in model names by channel type',
      role: 'common',
      response: z.object({ success: z.literal(true), data: z.record(z.string(), z.array(z.string())) }),
      example: {},
    },
    'GET /api/group': { summary: 'Names of all groups', role: 'admin', data: z.array(z.string()), example: {} },
  },
};
