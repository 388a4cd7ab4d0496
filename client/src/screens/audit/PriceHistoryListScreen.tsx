import { AuditList } from './AuditList.js';

/** Who changed which price, with a way back. For the super admin. */
export function PriceHistoryListScreen() {
  return <AuditList prices />;
}
