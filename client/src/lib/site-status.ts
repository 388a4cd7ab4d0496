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
  /** Songs can be ordered. */
  readonly tasksEnabled: boolean;
  /** What the dashboard begins with: `hour`, `day` or `week`. */
  readonly dataGranularity: string;
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
  canRegister: false,
  dataExportEnabled: true,
  drawingEnabled: false,
  tasksEnabled: false,
  dataGranularity: 'hour',
  version: '',
  startTime: 0,
};
