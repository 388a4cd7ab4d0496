import { AuditList } from './AuditList.js';

/** Who changed what. For the super admin. */
export function AuditListScreen() {
  return <AuditList prices={false} />;
}
