import type { AuditEntry } from './auditChanges.js';

export const subjectTexts = {
  OPTION: 'audit.subjects.option',
  USER: 'audit.subjects.user',
  CHANNEL: 'audit.subjects.channel',
  REDEMPTION: 'audit.subjects.redemption',
  MOVE_IN: 'audit.subjects.moveIn',
  ROLE: 'audit.subjects.role',
  TOKEN: 'audit.subjects.token',
  BUDGET: 'audit.subjects.budget',
} as const satisfies Record<AuditEntry['subject'], string>;
