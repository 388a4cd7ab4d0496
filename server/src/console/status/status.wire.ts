import { z } from 'zod';
import { flag, named, seconds, text, type Wire } from '../../platform/http/openapi/operation.js';
import { snakeKeys } from '../../shared/snake-case.js';
import type { Status } from './status.js';

export const statusShape = named('Status', 'Public settings of the site, never null.', {
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
  sign_in_providers: z
    .array(
      z.object({
        slug: text('Names the provider in addresses'),
        name: text('The text of its button'),
        icon: text('URL of an image, empty without one'),
      }),
    )
    .describe('Sign-in providers that the operator added'),
  telegram_oauth: flag('Sign-in with Telegram is on'),
  telegram_bot_name: text('Bot of the site at Telegram'),
  wechat_login: flag('Sign-in with WeChat is on'),
  wechat_qrcode: text('URL of the QR code of the WeChat account'),
  price: z.number().describe('Units of the local currency per USD'),
  min_topup: z.number().describe('Smallest top-up in USD'),
  enable_online_topup: flag('A payment provider is configured'),
  quota_per_unit: z.number().describe('Quota that is one USD'),
  display_in_currency: flag('Amounts are shown in a currency, otherwise as quota'),
  quota_display_type: z
    .enum(['USD', 'CNY', 'CUSTOM', 'TOKENS'])
    .describe('How amounts are shown: `USD`, `CNY`, `CUSTOM` or, as quota, `TOKENS`'),
  usd_exchange_rate: z.number().describe('CNY per USD, for the display'),
  custom_currency_symbol: text('Symbol of the own currency of the site'),
  custom_currency_exchange_rate: z.number().describe('Units of that currency per USD'),
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
  organization_creation_enabled: flag('Users may create organisations'),
  chat_link: text('Always empty; older clients read it'),
  chat_link2: text('Always empty; older clients read it'),
  register_enabled: flag('Visitors may register'),
  password_login_enabled: flag('Users may sign in with a password'),
  password_register_enabled: flag('Visitors may register with a password'),
});

/** Returns the status in snake case. `checkin_enabled` is the name that clients of new-api read. */
export const toWire = (status: Status): Wire<typeof statusShape> => ({
  ...snakeKeys(status),
  sign_in_providers: [...status.signInProviders],
  checkin_enabled: status.checkInEnabled,
});
