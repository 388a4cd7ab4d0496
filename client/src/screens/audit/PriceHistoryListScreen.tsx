import { AuditList } from './AuditList.js';

/** Shows each change of a price, by whom, with a way back. For the super admin. */
export function PriceHistoryListScreen() {
  return <AuditList prices />;
}
