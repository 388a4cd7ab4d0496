import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from './version.js';

it('is the one of package.json', () => {
  const file = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
  expect((JSON.parse(file) as { version: string }).version).toBe(version);
});
