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

/** Fields with their names behind those of their objects: `order.amount`. */
const fieldsOf = (shape: z.ZodObject, path = ''): Array<readonly [name: string, field: z.ZodType]> =>
  Object.entries(shape.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    field instanceof z.ZodObject ? fieldsOf(field, `${path}${name}.`) : [[path + name, field] as const],
  );

const fieldTypes = new Map(siteEventKinds.flatMap((kind) => fieldsOf(siteEvents[kind].data)));
const fields = [...fieldTypes.keys()].sort();
/** The events that have a field. */
const kindsOf = (field: string): string[] =>
  siteEventKinds.filter((kind) => fieldsOf(siteEvents[kind].data).some(([name]) => name === field));
/** The events that the second column of the guides names. */
function namedKinds(cell: string, rows: ReadonlyMap<string, string[]>): string[] {
  const patterns = [...cell.matchAll(/[a-z_]+(?:\.[a-z_*]+)+/g)].map(([pattern]) => pattern);
  const matching = (pattern: string): string[] =>
    siteEventKinds.filter((kind) => kind === pattern || `${kind.split('.')[0]}.*` === pattern);
  if (/^(all but|除)/.test(cell)) return siteEventKinds.filter((kind) => !patterns.flatMap(matching).includes(kind));
  if (/^(as|同)/.test(cell)) return namedKinds(rows.get(patterns[0] ?? '')?.[2] ?? '', rows);
  return siteEventKinds.filter((kind) => patterns.flatMap(matching).includes(kind));
}
/** The values of an enumeration, also of one that may be null. */
const valuesOf = (field: z.ZodType | undefined): string[] =>
  field instanceof z.ZodEnum ? field.options.map(String) : [];

it.each(['guide/webhooks.md', 'zh/guide/webhooks.md'])('%s lists every event and every field, and no other', (page) => {
  const names = rowsOf(page).map(([, name = '']) => name);
  expect(names.slice(0, siteEventKinds.length)).toEqual(siteEventKinds);
  expect(names.slice(siteEventKinds.length).sort()).toEqual(fields);
});

it('says of each event when it is sent, as the schema does', () => {
  const meanings = Object.fromEntries(rowsOf('guide/webhooks.md').map(([, name = '', text]) => [name, text]));
  expect(siteEventKinds.map((kind) => meanings[kind])).toEqual(siteEventKinds.map((kind) => siteEvents[kind].about));
});

describe.each(['guide/webhooks.md', 'zh/guide/webhooks.md'])('%s', (page) => {
  const rows = new Map(rowsOf(page).map((row) => [row[1] ?? '', row]));

  it.each(fields)('names the events of %s', (field) => {
    expect(namedKinds(rows.get(field)?.[2] ?? '', rows)).toEqual(kindsOf(field));
  });

  it.each(fields.filter((field) => valuesOf(fieldTypes.get(field)).length > 0))('names every value of %s', (field) => {
    const named = [...(rows.get(field)?.[3] ?? '').replace(/^(?=[a-z])|(?<=[a-z])$/g, '`').matchAll(/`([a-z_]+)`/g)];
    expect(named.map(([, name]) => name)).toEqual(valuesOf(fieldTypes.get(field)));
  });
});

it('says of each field what it means, as the schema does', () => {
  const rows = new Map(rowsOf('guide/webhooks.md').map((row) => [row[1] ?? '', row]));
  const described = fields.filter((field) => fieldTypes.get(field)?.description !== undefined);
  expect(described.length).toBeGreaterThan(10);
  expect(Object.fromEntries(described.map((field) => [field, rows.get(field)?.[3]]))).toEqual(
    Object.fromEntries(
      described.map((field) => [field, fieldTypes.get(field)?.description?.replace(/^`(.*)`$/, '$1')]),
    ),
  );
});

it('has in Chinese a meaning wherever the English page has one', () => {
  const meanings = (page: string) =>
    rowsOf(page).map(([, name = '', second = '', third = '']) => [name, second !== '', third !== '']);
  expect(meanings('zh/guide/webhooks.md')).toEqual(meanings('guide/webhooks.md'));
});
