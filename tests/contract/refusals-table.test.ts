/** The table of what providers refuse (docs/reference/providers/README.md) has each refusal of the scripted providers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as refused from '../agents/refused-bodies.js';

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
