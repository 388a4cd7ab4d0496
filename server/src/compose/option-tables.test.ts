import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withOptionTables } from './option-tables.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/rest/options.md'), 'utf8');

it('fills type, default and writer of the options in a row, and keeps their effect', () => {
  const blank = page.replace(/^(\| `Price`, `MinTopUp` +\|).*(\| [^|]+ \|)$/m, '$1 x | x | x $2');
  expect(blank).not.toBe(page);
  expect(withOptionTables(blank)).toBe(page);
  expect(page).toMatch(/^\| `Price`, `MinTopUp` +\| decimal, int +\| `7.3`, `1` +\| root +\| Local currency per USD;/m);
});

it('shows no default of a secret but its type, and counts the entries of long defaults', () => {
  expect(page).toMatch(/^\| `TurnstileCheckEnabled`.* \| bool, text, secret +\| `false`, empty, empty +\| root/m);
  expect(page).toMatch(/^\| `EmailDomainRestrictionEnabled`.* \| bool, list +\| `false`, 9 entries +\|/m);
});

it('refuses a page that lost its marks', () => {
  expect(() => withOptionTables('# Options\n')).toThrow('Not listed exactly once');
});

it('keeps an effect with an escaped pipe', () => {
  const escaped = page.replace(/^(\| `RetryTimes` .*\| )[^|]+(\|)$/m, '$1On \\| off $2');
  expect(withOptionTables(escaped)).toContain('| On \\| off ');
});

it('refuses a key that is no option', () => {
  expect(() => withOptionTables(page.replace('`RetryTimes`', '`RetryTime`'))).toThrow('There is no option RetryTime');
});

it('refuses an option that is missing, and one that is listed twice', () => {
  expect(() => withOptionTables(page.replace(/^\| `RetryTimes` .*\n/m, ''))).toThrow('exactly once: RetryTimes');
  expect(() => withOptionTables(page.replace(/^\| `RetryTimes` .*\n/m, '$&$&'))).toThrow('exactly once: RetryTimes');
});
