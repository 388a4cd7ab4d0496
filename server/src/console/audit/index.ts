export { AuditRecord } from './audit.entity.js';
export { AuditService, writeAudit } from './audit.service.js';
export { RestoreService, type Restorable } from './restore.service.js';
