import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionKeys } from '../../server/src/options/option-registry.js';
import { contractOptions, type ContractOption } from './options-table.js';
import { Site, type Person } from './site.js';

/**
 * Tests every key of docs/reference/rest/options.md on a running server: type, default, validation, secrecy and required
 * role.
 */
let site: Site;
let root: Person;
let admin: Person;
let defaults: Record<string, string>;
/** Every option as the console gets it, and the public status, before any option is saved. */
let shown: Array<{ key: string; value: string }>;
let firstStatus: Record<string, unknown>;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  defaults = await listed();
  firstStatus = await statusNow();
  const query = `query ($keys: [String!]) { options(filter: { keys: $keys }) { items { key kind isSecret isSet value } } }`;
  const { data } = await site.graphql(root, query, { keys: contractOptions.map(({ key }) => key) });
  shown = (data?.['options'] as { items: typeof shown }).items;
});
afterAll(() => site.stop());

const put = async (person: Person, key: string, value: string) =>
  (await site.rest(person, 'PUT', '/api/option/', { key, value })).body;
const listed = async (): Promise<Record<string, string>> => {
  const { data } = (await site.rest(root, 'GET', '/api/option/')).body;
  return Object.fromEntries((data as Array<{ key: string; value: string }>).map(({ key, value }) => [key, value]));
};
const statusNow = async () => (await site.rest(null, 'GET', '/api/status')).body.data as Record<string, unknown>;
const status = async (field: string): Promise<unknown> => (await statusNow())[field];
const stored = async (key: string): Promise<string | undefined> =>
  (await site.query<{ value: string }>('SELECT value FROM options WHERE key = $1', [key]))[0]?.value;

/** Whether the list shows the value. The site key is public in the status, but hidden in the list because of its name. */
const isListed = ({ key, secret }: ContractOption): boolean => !secret && key !== 'TurnstileSiteKey';
const kinds = { b: 'BOOLEAN', i: 'INTEGER', f: 'DECIMAL', s: 'TEXT', j: 'JSON', csv: 'LIST', lines: 'LIST' };

/** The value that the status shows for a saved text. */
function native({ type, key }: ContractOption, text: string): unknown {
  if (type === 'b') return text === 'true';
  if (type === 'i' || type === 'f') return Number(text);
  if (type === 'j') return JSON.parse(text);
  return key === 'ServerAddress' && text === '' ? 'http://localhost:3000' : text;
}

function entriesOf({ type }: ContractOption, text: string): number {
  if (type === 'csv') return text.split(',').length;
  if (type === 'lines') return text.split('\n').length;
  return Object.keys(JSON.parse(text) as object).length;
}

/** JSON is normalised before it is stored. */
const plain = ({ type }: ContractOption, text: string): unknown => (type === 'j' ? JSON.parse(text) : text);

it('the table, the document and the server name the same keys', () => {
  const keys = contractOptions.map(({ key }) => key);
  expect(keys.toSorted()).toEqual(optionKeys.toSorted());
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/rest/options.md'), 'utf8');
  expect(optionKeys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

describe.each(contractOptions.map((option) => [option.key, option] as const))('%s', (key, option) => {
  it('has its type, its default and its place', () => {
    const items = shown.filter((one) => one.key === key);
    const text = items[0]?.value ?? '';
    expect(items).toMatchObject([{ key, kind: kinds[option.type], isSecret: option.secret === true, isSet: false }]);
    if (typeof option.byDefault === 'number') expect(entriesOf(option, text)).toBe(option.byDefault);
    else if (option.type === 'j') expect(JSON.parse(text)).toEqual(JSON.parse(option.byDefault));
    else expect(text).toBe(option.byDefault);
    expect(defaults[key]).toBe(isListed(option) ? text : undefined);
    if (option.status) expect(firstStatus[option.status]).toEqual(native(option, text));
  });

  it('takes what it may hold, shows it where it belongs, and refuses the rest by its name', async () => {
    for (const good of option.good ?? []) {
      const [given, text] = typeof good === 'string' ? [good, good] : good;
      expect([given, await put(root, key, given)]).toEqual([given, { success: true, message: '' }]);
      if (option.secret) expect(await stored(key)).toMatch(/^v1\./);
      else expect([given, plain(option, (await stored(key)) ?? '')]).toEqual([given, plain(option, text)]);
      if (option.status) expect(await status(option.status)).toEqual(native(option, text));
    }
    const before = await stored(key);
    for (const bad of option.bad) {
      const answer = await put(root, key, bad);
      const said = [bad.slice(0, 40), answer];
      expect(said).toEqual([bad.slice(0, 40), expect.objectContaining({ success: false, message: expect.anything() })]);
      expect([said, String(answer['message']).startsWith(`${key}: `)]).toEqual([said, true]);
      expect([said, await stored(key)]).toEqual([said, before]);
    }
    if (isListed(option)) await put(root, key, defaults[key] ?? '');
  });

  it(`is ${option.root ? 'root’s alone' : 'an admin’s'} to write`, async () => {
    const answer = await put(admin, key, defaults[key] ?? '');
    if (option.root) expect(answer).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    else expect(answer).toEqual({ success: true, message: '' });
  });
});
