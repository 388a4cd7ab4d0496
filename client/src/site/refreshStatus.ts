import type { ApolloClient } from '@apollo/client';
import type { SiteStatus } from '../lib/site-status.js';
import { siteStatus } from '../lib/status.js';
import { StatusDocument, type StatusQuery } from './site.generated.js';

export const toSiteStatus = ({ status: { startedAt, ...status } }: StatusQuery): SiteStatus => ({
  ...status,
  startTime: Math.floor(new Date(startedAt).getTime() / 1000),
});

/** Reads the status again after settings were saved. On failure the current one stays; the next visit gets a new one. */
export async function refreshStatus(client: ApolloClient): Promise<void> {
  try {
    const { data } = await client.query({ query: StatusDocument, fetchPolicy: 'network-only' });
    if (data) siteStatus.set(toSiteStatus(data));
  } catch {
    // The settings themselves are saved.
  }
}
