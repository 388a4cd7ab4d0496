import { AuditList } from './AuditList.js';

/** Shows each change, and by whom. For the super admin. */
export function AuditListScreen() {
  return <AuditList prices={false} />;
}
