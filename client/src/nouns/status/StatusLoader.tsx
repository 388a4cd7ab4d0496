import type { ReactNode } from 'react';
import { lazyPart } from '../../components/lazyPart.js';
import { withClient } from '../../lib/graphqlClient.js';
import { siteStatus, useIsStatusKnown } from '../../lib/status.js';

const StatusQuery = lazyPart(withClient(async () => (await import('./StatusQuery.js')).StatusQuery));

/**
 * Renders its children once the site's status is known. The page usually contains it. If it does not, because the database
 * is unavailable or another server sent the page, the first visit waits for a query; later visits use the stored status.
 */
export function StatusLoader({ children }: { readonly children: ReactNode }) {
  const known = useIsStatusKnown();
  return (
    <>
      {!siteStatus.cameWithPage && <StatusQuery />}
      {known && children}
    </>
  );
}
