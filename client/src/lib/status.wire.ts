import { defaultStatus, type SiteStatus } from './site-status.js';

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
  data_export_default_time: status.dataGranularity,
  version: status.version,
  start_time: status.startTime,
});

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
    dataGranularity: text('data_export_default_time', 'hour'),
    version: text('version', ''),
    startTime: number('start_time', 0),
  };
}
