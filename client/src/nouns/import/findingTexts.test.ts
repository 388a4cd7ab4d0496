import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { siteImport as english } from '../../i18n/en/import.js';
import { siteImport as chinese } from '../../i18n/zh/import.js';

/** Names of the findings that the server can report. */
const source = readFileSync(join(import.meta.dirname, '../../../../server/src/import/findings.ts'), 'utf8');
const list = source.slice(source.indexOf('findingTexts = {'), source.indexOf('} as const satisfies'));
const codes = [...list.matchAll(/^ {2}'?([a-z-]+)'?: \[/gm)].map(([, code]) => code);

it('has a text for every finding in both languages', () => {
  expect(codes.length).toBeGreaterThan(50);
  expect(Object.keys(english.findings).sort()).toEqual([...codes].sort());
  expect(Object.keys(chinese.findings).sort()).toEqual([...codes].sort());
});
