import type { ApolloClient } from '@apollo/client';
import type { SiteStatus } from '../../lib/site-status.js';
import { siteStatus } from '../../lib/status.js';
import { StatusDocument, type StatusQuery } from './site.generated.js';

const buckets = { HOUR: 'hour', DAY: 'day', WEEK: 'week' } as const;

export const toSiteStatus = ({
  status: { isSetUp, startedAt, dashboardBucket, ...status },
}: StatusQuery): SiteStatus => ({
  ...status,
  setup: isSetUp,
  startTime: Math.floor(new Date(startedAt).getTime() / 1000),
  dataExportDefaultTime: buckets[dashboardBucket],
  logo: status.logo ?? '',
  signInProviders: status.signInProviders.map(({ slug, name, icon }) => ({ slug, name, icon: icon ?? '' })),
  docsLink: status.docsLink ?? '',
  footerHtml: status.footerHtml ?? '',
  wechatQrcode: status.wechatQrcode ?? '',
  telegramBotName: status.telegramBotName ?? '',
  turnstileSiteKey: status.turnstileSiteKey ?? '',
});

/** Reads the status again after settings were saved. If that fails, the current status stays until the next visit. */
export async function refreshStatus(client: ApolloClient): Promise<void> {
  try {
    const { data } = await client.query({ query: StatusDocument, fetchPolicy: 'network-only' });
    if (data) siteStatus.set(toSiteStatus(data));
  } catch {
    // The settings were saved, so the failure is not reported.
  }
}
