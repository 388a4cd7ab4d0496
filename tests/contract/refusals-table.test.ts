/** The table of what providers refuse (docs/reference/providers/README.md) has each refusal of the scripted providers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as bodies from '../agents/refused-bodies.js';
import * as tools from '../agents/refused-tools.js';

const refused = { ...bodies, ...tools };

/** Exports that are no refusals. */
const helpers = new Set(['list', 'statusOf', 'firstOf']);

/** The cells of each row, without the head. */
async function rowsOfTable(): Promise<string[][]> {
  const path = join(import.meta.dirname, '../../docs/reference/providers/README.md');
  const [, table = ''] = (await readFile(path, 'utf8')).split(/^\| Refused by .*\n\|[- |]+\n/m);
  return (table.split('\n\n')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it('names every refusal once, and none that is not scripted', async () => {
  const listed = (await rowsOfTable()).flatMap((cells) =>
    [...(cells[3] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const scripted = Object.keys(refused).filter((name) => !helpers.has(name));
  expect(listed.toSorted()).toEqual(scripted.toSorted());
});

it('says of each who refuses what, and what is sent then', async () => {
  const rows = await rowsOfTable();
  expect(rows.length).toBeGreaterThan(20);
  for (const cells of rows) expect([cells, cells.slice(0, 3).every(Boolean)]).toEqual([cells, true]);
});

it.each(['refused-bodies.ts', 'refused-tools.ts'])('%s has a source and a date at each refusal', async (file) => {
  const text = await readFile(join(import.meta.dirname, '../agents', file), 'utf8');
  const exported = [...text.matchAll(/(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export const (\w+)/g)];
  const refusals = exported.filter(([, , name = '']) => !helpers.has(name));
  expect(refusals.length).toBeGreaterThan(10);
  const source = /[\w.-]+#\d+|docs|documentation|reference|forum|\d+\.\d+|precaution|clients/i;
  const lacking = refusals.filter(([, comment = '']) => !source.test(comment) || !/\b20\d\d\b/.test(comment));
  expect(lacking.map(([, , name]) => name)).toEqual([]);
});
