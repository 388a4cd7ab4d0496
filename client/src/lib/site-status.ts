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
  readonly version: string;
  /** Unix seconds. */
  readonly startTime: number;
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
  version: '',
  startTime: 0,
};
