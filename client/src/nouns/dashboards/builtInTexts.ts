import type { TFunction } from 'i18next';

export interface NamedDashboard {
  readonly name: string;
  readonly builtIn?: string | null;
}

/** Names and titles of built-in dashboards, which are stored in English. */
export const builtInTexts = {
  Overview: 'dashboards.builtIn.overview',
  Spend: 'dashboard.spend',
  'Owed to users': 'dashboards.builtIn.owed',
  'Last minute': 'dashboard.lastMinute',
  'Spend by model': 'dashboard.spendByModel',
  'Active users': 'dashboards.columns.activeUsers',
  '95th percentile by channel': 'dashboards.builtIn.percentile',
  'Users whose spend grew most': 'dashboards.builtIn.growth',
  'Cost and margin by channel': 'dashboards.builtIn.margin',
  'Errors by code, last 7 days': 'dashboards.builtIn.errors',
  'Cached share by model': 'dashboards.builtIn.cached',
  'Spend by group': 'dashboards.builtIn.groups',
  'Balances that end first': 'dashboards.builtIn.balances',
  'Usage of the site': 'dashboards.builtIn.usage',
  Calls: 'dashboard.calls',
  Tokens: 'dashboard.tokens',
  Margin: 'dashboard.marginTitle',
  'Top-ups received': 'dashboard.received',
  'Top models': 'dashboard.topModels',
  Failures: 'dashboard.failures',
  Latency: 'dashboard.latency',
  'Requests per minute': 'dashboard.requestsPerMinute',
  'Top users': 'dashboard.topUsers',
  'Top channels': 'dashboard.topChannels',
  'My usage': 'dashboard.myUsage',
} as const;

const translated = (text: string, t: TFunction): string =>
  Object.hasOwn(builtInTexts, text) ? t(builtInTexts[text as keyof typeof builtInTexts]) : text;

/** The name of a dashboard in the reader's language, if it is built in. */
export const dashboardName = ({ name, builtIn }: NamedDashboard, t: TFunction): string =>
  builtIn == null ? name : translated(name, t);

/** The panels of a dashboard, with titles in the reader's language if it is built in. */
export const titledPanels = <Panels extends Array<{ readonly title: string }>>(
  { builtIn, panels }: { readonly builtIn?: string | null; readonly panels: Panels },
  t: TFunction,
): Panels =>
  builtIn == null ? panels : (panels.map((panel) => ({ ...panel, title: translated(panel.title, t) })) as Panels);
