import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { siteEventKinds, siteEvents } from '../../server/src/shared/site-events.js';

/** Cells of the rows of tables whose first cell is code. */
const rowsOf = (page: string): string[][] =>
  readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')));

/** Names of fields with their objects: `order.amount`. */
const fieldsOf = (shape: z.ZodObject, path = ''): string[] =>
  Object.entries(shape.shape).flatMap(([name, field]) =>
    field instanceof z.ZodObject ? fieldsOf(field, `${path}${name}.`) : [path + name],
  );

const fields = [...new Set(siteEventKinds.flatMap((kind) => fieldsOf(siteEvents[kind].data)))].sort();

it.each(['guide/webhooks.md', 'zh/guide/webhooks.md'])('%s lists every event and every field, and no other', (page) => {
  const names = rowsOf(page).map(([, name = '']) => name);
  expect(names.slice(0, siteEventKinds.length)).toEqual(siteEventKinds);
  expect(names.slice(siteEventKinds.length).sort()).toEqual(fields);
});

it('says of each event when it is sent, as the schema does', () => {
  const meanings = Object.fromEntries(rowsOf('guide/webhooks.md').map(([, name = '', text]) => [name, text]));
  expect(siteEventKinds.map((kind) => meanings[kind])).toEqual(siteEventKinds.map((kind) => siteEvents[kind].about));
});
