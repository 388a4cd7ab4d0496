import type { TFunction } from 'i18next';
import type { AuditEntry } from './auditChanges.js';

export const subjectTexts = {
  OPTION: 'audit.subjects.option',
  USER: 'audit.subjects.user',
  CHANNEL: 'audit.subjects.channel',
  REDEMPTION: 'audit.subjects.redemption',
  IMPORT: 'audit.subjects.import',
  ROLE: 'audit.subjects.role',
  TOKEN: 'audit.subjects.token',
  BUDGET: 'audit.subjects.budget',
  PLAN: 'audit.subjects.plan',
  LOG: 'audit.subjects.log',
  DASHBOARD: 'audit.subjects.dashboard',
  ORGANISATION: 'audit.subjects.organisation',
  WEBHOOK: 'audit.subjects.webhook',
} as const satisfies Record<AuditEntry['subject'], string>;

const actionTexts = {
  create: 'audit.actions.create',
  update: 'audit.actions.update',
  delete: 'audit.actions.delete',
  enable: 'audit.actions.enable',
  disable: 'audit.actions.disable',
  promote: 'audit.actions.promote',
  demote: 'audit.actions.demote',
  giveRole: 'audit.actions.giveRole',
  resetSecondFactors: 'audit.actions.resetSecondFactors',
  addAuthenticatorApp: 'audit.actions.addAuthenticatorApp',
  removeAuthenticatorApp: 'audit.actions.removeAuthenticatorApp',
  addPasskey: 'audit.actions.addPasskey',
  removePasskey: 'audit.actions.removePasskey',
  renewRecoveryCodes: 'audit.actions.renewRecoveryCodes',
  renewAccessToken: 'audit.actions.renewAccessToken',
  createAccessToken: 'audit.actions.createAccessToken',
  revokeAccessToken: 'audit.actions.revokeAccessToken',
  grant: 'audit.actions.grant',
  markPaid: 'audit.actions.markPaid',
  refund: 'audit.actions.refund',
  grantPlan: 'audit.actions.grantPlan',
  refundPlan: 'audit.actions.refundPlan',
  stopPlanRenewal: 'audit.actions.stopPlanRenewal',
  endSessions: 'audit.actions.endSessions',
  fix: 'audit.actions.fix',
  start: 'audit.actions.start',
  cancel: 'audit.actions.cancel',
} as const;

/** The action of an entry in the reader's language; one this console does not know as the server names it. */
export const actionText = (action: string, t: TFunction): string =>
  Object.hasOwn(actionTexts, action) ? t(actionTexts[action as keyof typeof actionTexts]) : action;
