import { defaultStatus, type ChatLink, type SiteStatus } from './site-status.js';

/** Stored under the older consoles' names, so that what reads `status` from local storage keeps working. */
export const toStoredStatus = (status: SiteStatus): Record<string, unknown> => ({
  setup: status.setup,
  system_name: status.systemName,
  logo: status.logo,
  server_address: status.serverAddress,
  quota_per_unit: status.quotaPerUnit,
  display_in_currency: status.displayInCurrency,
  docs_link: status.docsLink,
  footer_html: status.footerHtml,
  self_use_mode_enabled: status.selfUseModeEnabled,
  demo_site_enabled: status.demoSiteEnabled,
  default_collapse_sidebar: status.defaultCollapseSidebar,
  can_register: status.canRegister,
  enable_data_export: status.dataExportEnabled,
  enable_drawing: status.drawingEnabled,
  enable_task: status.tasksEnabled,
  mj_notify_enabled: status.mjNotifyEnabled,
  data_export_default_time: status.dataGranularity,
  version: status.version,
  start_time: status.startTime,
  chats: toStoredChats(status.chats ?? []),
  password_login: status.passwordLogin,
  github_oauth: status.githubOauth,
  oidc_enabled: status.oidcEnabled,
  linuxdo_oauth: status.linuxdoOauth,
  wechat_login: status.wechatLogin,
  wechat_qrcode: status.wechatQrcode,
  telegram_oauth: status.telegramOauth,
  telegram_bot_name: status.telegramBotName,
  turnstile_check: status.turnstileCheck,
  turnstile_site_key: status.turnstileSiteKey,
});

/** A list of objects with one entry each: `[{ "name": "link" }]`. */
export const toStoredChats = (chats: readonly ChatLink[]): Record<string, string>[] =>
  chats.map(({ name, link }) => ({ [name]: link }));

/** @returns null when it is no such list */
export function fromStoredChats(stored: unknown): ChatLink[] | null {
  if (!Array.isArray(stored)) return null;
  const links = stored.map((entry: unknown): ChatLink | null => {
    const pairs = typeof entry === 'object' && entry !== null ? Object.entries(entry) : [];
    const [name, link] = pairs[0] ?? [];
    return pairs.length === 1 && name !== undefined && typeof link === 'string' ? { name, link } : null;
  });
  return links.every((link) => link !== null) ? links : null;
}

export function fromStoredStatus(stored: unknown): SiteStatus | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const from = stored as Record<string, unknown>;
  const text = (key: string, fallback: string) => (typeof from[key] === 'string' ? from[key] : fallback);
  const flag = (key: string, fallback: boolean) => (typeof from[key] === 'boolean' ? from[key] : fallback);
  const number = (key: string, fallback: number) => (typeof from[key] === 'number' ? from[key] : fallback);
  return {
    setup: flag('setup', true),
    systemName: text('system_name', defaultStatus.systemName),
    logo: text('logo', ''),
    serverAddress: text('server_address', ''),
    quotaPerUnit: number('quota_per_unit', defaultStatus.quotaPerUnit) || defaultStatus.quotaPerUnit,
    displayInCurrency: flag('display_in_currency', true),
    docsLink: text('docs_link', ''),
    footerHtml: text('footer_html', ''),
    selfUseModeEnabled: flag('self_use_mode_enabled', false),
    demoSiteEnabled: flag('demo_site_enabled', false),
    defaultCollapseSidebar: flag('default_collapse_sidebar', false),
    canRegister: flag('can_register', false),
    dataExportEnabled: flag('enable_data_export', true),
    drawingEnabled: flag('enable_drawing', false),
    tasksEnabled: flag('enable_task', false),
    mjNotifyEnabled: flag('mj_notify_enabled', false),
    dataGranularity: text('data_export_default_time', 'hour'),
    version: text('version', ''),
    startTime: number('start_time', 0),
    chats: fromStoredChats(from.chats ?? []),
    passwordLogin: flag('password_login', true),
    githubOauth: flag('github_oauth', false),
    oidcEnabled: flag('oidc_enabled', false),
    linuxdoOauth: flag('linuxdo_oauth', false),
    wechatLogin: flag('wechat_login', false),
    wechatQrcode: text('wechat_qrcode', ''),
    telegramOauth: flag('telegram_oauth', false),
    telegramBotName: text('telegram_bot_name', ''),
    turnstileCheck: flag('turnstile_check', false),
    turnstileSiteKey: text('turnstile_site_key', ''),
  };
}

/**
 * What the server leaves in the page, in the shape of its `/api/status`.
 * @param text JSON
 * @returns null when the page has none
 */
export function fromPageStatus(text: string | null | undefined): SiteStatus | null {
  const told = text ? (JSON.parse(text) as Record<string, unknown>) : null;
  return (
    told &&
    fromStoredStatus({
      ...told,
      can_register:
        told.register_enabled === true &&
        told.password_register_enabled === true &&
        told.self_use_mode_enabled !== true,
      password_login: told.password_login_enabled,
    })
  );
}
