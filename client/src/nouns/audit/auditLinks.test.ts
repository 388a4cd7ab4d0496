import type { AuditEntry } from './auditChanges.js';
import { subjectPage } from './auditLinks.js';

const page = (subject: AuditEntry['subject'], subjectId = '5', action = 'update') =>
  subjectPage({ subject, subjectId, subjectName: 'a name', action } as AuditEntry)?.to ?? null;

it.each([
  ['USER', '/user/5'],
  ['CHANNEL', '/channel/5'],
  ['TOKEN', '/token/5'],
  ['DASHBOARD', '/dashboards/5'],
  ['ORGANISATION', '/organisations/5'],
  ['PLAN', '/plan'],
  ['WEBHOOK', '/webhook'],
  ['IMPORT', null],
] as const)('a change of %s leads to %s', (subject, to) => {
  expect(page(subject)).toBe(to);
  expect(page(subject, '5', 'delete')).toBeNull();
});

it('a setting leads to its place among the settings', () => {
  expect(page('OPTION', 'ModelRatio')).toContain('section=prices');
  expect(page('OPTION', 'NoSuchOption')).toBeNull();
});
