export interface ChatLink {
  readonly name: string;
  /** URL with `{address}` and `{key}` as placeholders. */
  readonly link: string;
}

export interface OfferedProvider {
  /** Names the provider in addresses. */
  readonly slug: string;
  readonly name: string;
  /** URL of an image. Empty: none. */
  readonly icon: string;
}

/**
 * The site's public status: one row per field, with its default. The names are those of the GraphQL type `Status`; on the
 * REST wire and in local storage they are written in snake_case.
 */
export const defaultStatus = {
  /** False until the setup wizard is finished. */
  setup: true,
  systemName: 'Tollgate',
  /** URL of an image; empty for the built-in logo. */
  logo: '',
  serverAddress: '',
  quotaPerUnit: 500_000,
  displayInCurrency: true,
  /** How amounts are shown: `USD`, `CNY`, `CUSTOM` or `TOKENS`, which is quota. */
  quotaDisplayType: 'USD',
  /** CNY for 1 USD. */
  usdExchangeRate: 7.3,
  customCurrencySymbol: '¤',
  /** Units of the site's own currency for 1 USD. */
  customCurrencyExchangeRate: 1,
  /** Units of the local currency for 1 USD. */
  price: 7.3,
  docsLink: '',
  footerHtml: '',
  selfUseModeEnabled: false,
  demoSiteEnabled: false,
  defaultCollapseSidebar: false,
  /** Users create organisations. */
  organizationCreationEnabled: true,
  registerEnabled: false,
  passwordRegisterEnabled: false,
  /** Registration needs a code by mail. */
  emailVerification: false,
  /** Usage is aggregated for the dashboard. */
  enableDataExport: true,
  /** Users see the health of models; visitors, too, if `publicModelHealth`. */
  enableModelHealth: false,
  publicModelHealth: false,
  /** Everyone sees the status page. */
  enableStatusPage: false,
  /** Drawings through Midjourney proxies are enabled. */
  enableDrawing: false,
  /** Drawing proxies report progress by callback. Otherwise they are polled. */
  mjNotifyEnabled: false,
  /** Music tasks are enabled. */
  enableTask: false,
  /** Initial bucket of the dashboard: `hour`, `day` or `week`. */
  dataExportDefaultTime: 'hour',
  version: '',
  /** Unix seconds. */
  startTime: 0,
  /** False: users sign in only through OAuth providers. */
  passwordLoginEnabled: true,
  githubOauth: false,
  oidcEnabled: false,
  linuxdoOauth: false,
  wechatLogin: false,
  /** URL of an image. */
  wechatQrcode: '',
  telegramOauth: false,
  telegramBotName: '',
  /** Public forms carry a Turnstile token. */
  turnstileCheck: false,
  turnstileSiteKey: '',
};

export interface SiteStatus extends Readonly<typeof defaultStatus> {
  /** Chat apps. Null: the stored value is malformed. */
  readonly chatLinks: readonly ChatLink[] | null;
  /** Sign-in providers that the operator added, in their order. */
  readonly signInProviders: readonly OfferedProvider[];
}

/** Whether a visitor can create an account with a password. */
export const canRegister = (status: SiteStatus): boolean =>
  status.registerEnabled && status.passwordRegisterEnabled && !status.selfUseModeEnabled;

/** The currency beside USD: that in which the site shows amounts, else yuan at the price of a top-up. */
export function localCurrency(status: SiteStatus): { readonly symbol: string; readonly rate: number } {
  if (status.quotaDisplayType === 'CUSTOM')
    return { symbol: status.customCurrencySymbol, rate: status.customCurrencyExchangeRate };
  return { symbol: '¥', rate: status.quotaDisplayType === 'CNY' ? status.usdExchangeRate : status.price };
}
