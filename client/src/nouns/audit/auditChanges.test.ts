import { namesIn, withoutChange, type AuditEntry } from './auditChanges.js';

const entry = (...changes: ReadonlyArray<readonly [string, string]>) =>
  ({
    subject: 'OPTION',
    subjectId: 'ModelRatio',
    changes: changes.map(([before, after]) => ({ field: 'value', before, after })),
  }) as unknown as AuditEntry;

it('restores the rows of an entry in parts, and keeps the rows that the entry does not have', () => {
  const changed = entry(['{"gpt-4o":1.25}', '{"gpt-4o":1.5,"added":2}'], ['{"removed":3}', '{}']);
  const current = '{"gpt-4o":1.5,"added":2,"unchanged":4,"later":5}';
  expect(JSON.parse(withoutChange(changed, current))).toEqual({ 'gpt-4o': 1.25, unchanged: 4, later: 5, removed: 3 });
});

it('restores a setting that is no table as a whole', () => {
  expect(withoutChange(entry(['500000', '1000000']), '2000000')).toBe('500000');
});

it('reads the names of a stored list, and none of a text that is cut or no list of names', () => {
  expect(namesIn('["gpt-4o","a/b"]')).toEqual(['gpt-4o', 'a/b']);
  expect([namesIn('["gpt-4o","a'), namesIn('[1,2]'), namesIn('gpt-4o'), namesIn('')]).toEqual([null, null, null, null]);
});
