export { AuditRecord } from './audit.entity.js';
export { AuditService, writeAudit } from './audit.service.js';
export { RestoreService } from './restore.service.js';
