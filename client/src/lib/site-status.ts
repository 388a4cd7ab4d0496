/** What the site says about itself to everybody. */
export interface SiteStatus {
  /** False: the set-up wizard has not been finished. */
  readonly setup: boolean;
  readonly systemName: string;
  /** URL of a picture; empty: our own mark. */
  readonly logo: string;
  readonly serverAddress: string;
  readonly quotaPerUnit: number;
  readonly displayInCurrency: boolean;
  readonly docsLink: string;
  readonly footerHtml: string;
  readonly selfUseModeEnabled: boolean;
  readonly demoSiteEnabled: boolean;
  readonly defaultCollapseSidebar: boolean;
  /** An account can be made with a password. */
  readonly canRegister: boolean;
  /** Usage is added up for the dashboard. */
  readonly dataExportEnabled: boolean;
  /** Drawings through Midjourney proxies can be ordered. */
  readonly drawingEnabled: boolean;
  /** Drawings' proxies report by themselves; where not, progress is asked for. */
  readonly mjNotifyEnabled: boolean;
  /** Songs can be ordered. */
  readonly tasksEnabled: boolean;
  /** What the dashboard begins with: `hour`, `day` or `week`. */
  readonly dataGranularity: string;
  readonly version: string;
  /** Unix seconds. */
  readonly startTime: number;
  /** Names and links of chat apps; a link has `{address}` and `{key}` to fill in. Null: what was remembered is no list. */
  readonly chats: readonly ChatLink[] | null;
  /** False: only other sites' accounts open this one. */
  readonly passwordLogin: boolean;
  readonly githubOauth: boolean;
  readonly oidcEnabled: boolean;
  readonly linuxdoOauth: boolean;
  readonly wechatLogin: boolean;
  /** URL of a picture. */
  readonly wechatQrcode: string;
  readonly telegramOauth: boolean;
  readonly telegramBotName: string;
  /** Forms that strangers send carry a token of the Turnstile widget. */
  readonly turnstileCheck: boolean;
  readonly turnstileSiteKey: string;
}

export interface ChatLink {
  readonly name: string;
  readonly link: string;
}

export const defaultStatus: SiteStatus = {
  setup: true,
  systemName: 'Tollgate',
  logo: '',
  serverAddress: '',
  quotaPerUnit: 500_000,
  displayInCurrency: true,
  docsLink: '',
  footerHtml: '',
  selfUseModeEnabled: false,
  demoSiteEnabled: false,
  defaultCollapseSidebar: false,
  canRegister: false,
  dataExportEnabled: true,
  drawingEnabled: false,
  mjNotifyEnabled: false,
  tasksEnabled: false,
  dataGranularity: 'hour',
  chats: [],
  passwordLogin: true,
  githubOauth: false,
  oidcEnabled: false,
  linuxdoOauth: false,
  wechatLogin: false,
  wechatQrcode: '',
  telegramOauth: false,
  telegramBotName: '',
  turnstileCheck: false,
  turnstileSiteKey: '',
  version: '',
  startTime: 0,
};
