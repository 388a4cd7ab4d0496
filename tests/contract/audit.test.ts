import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let admin: Person;
let user: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  user = await site.invite(root);
});
afterAll(() => site.stop());

interface Entry {
  actorId: number;
  actorName: string;
  ip: string;
  createdAt: string;
  action: string;
  subject: string;
  subjectId: string;
  changes: Array<{ field: string; before: string | null; after: string | null }>;
}

const fields =
  'items { id actorId actorName ip createdAt action subject subjectId changes { field before after } } totalCount';

async function entries(filter: Record<string, unknown>): Promise<Entry[]> {
  const query = `query ($filter: AuditFilter) { auditEntries(filter: $filter, pageSize: 100) { ${fields} } }`;
  const { data, text } = await site.graphql(root, query, { filter });
  if (!data) throw new Error(text);
  return (data['auditEntries'] as { items: Entry[] }).items;
}

describe('options', () => {
  it('say who, when, from where, which key, and what it was', async () => {
    const begun = Date.now();
    await site.rest(admin, 'PUT', '/api/option/', { key: 'RetryTimes', value: '3' });
    await site.rest(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '5' });
    const found = await entries({ subjects: ['OPTION'], subjectIds: ['RetryTimes'] });
    expect(found).toMatchObject([
      { actorId: root.id, changes: [{ field: 'value', before: '3', after: '5' }] },
      { actorId: admin.id, actorName: admin.username, action: 'update', ip: '127.0.0.1' },
    ]);
    expect(found[1]?.changes).toEqual([{ field: 'value', before: '0', after: '3' }]);
    const createdAt = Date.parse(found[0]?.createdAt ?? '');
    // The log counts whole seconds.
    expect([createdAt >= begun - 1000, createdAt <= Date.now()]).toEqual([true, true]);
  });

  it('tell that a secret changed, never what it is', async () => {
    for (const value of ['planted-secret-one', 'planted-secret-two', '']) {
      await site.rest(root, 'PUT', '/api/option/', { key: 'SMTPToken', value });
    }
    const found = await entries({ subjects: ['OPTION'], subjectIds: ['SMTPToken'] });
    expect(found.map(({ changes }) => changes[0])).toEqual([
      { field: 'value', before: '***', after: '' },
      { field: 'value', before: '***', after: '***' },
      { field: 'value', before: '', after: '***' },
    ]);
    const rows = JSON.stringify(await site.query('SELECT a::text FROM audit_entries a'));
    expect(rows).not.toContain('planted-secret');
  });

  it('are found by the model whose price they changed, not by models beside it', async () => {
    const set = (key: string, value: object | string) =>
      site.expectSuccess(root, 'PUT', '/api/option/', {
        key,
        value: typeof value === 'string' ? value : JSON.stringify(value),
      });
    await set('ModelPrice', { 'audited-a': 0.1, 'audited-b': 0.2 });
    await set('ModelPrice', { 'audited-a': 0.1, 'audited-b': 0.3 });
    await set('ModelPrice', { 'audited-a': 0.5 });
    await set('RetryTimes', '2');
    const prices = async (entry: string) =>
      (await entries({ entry })).map(({ subjectId, changes }) => {
        const table = (text: string | null) => (JSON.parse(text || '{}') as Record<string, number>)[entry] ?? null;
        const [change] = changes;
        return [subjectId, table(change?.before ?? null), table(change?.after ?? null)];
      });
    expect(await prices('audited-a')).toEqual([
      ['ModelPrice', 0.1, 0.5],
      ['ModelPrice', null, 0.1],
    ]);
    expect(await prices('audited-b')).toEqual([
      ['ModelPrice', 0.3, null],
      ['ModelPrice', 0.2, 0.3],
      ['ModelPrice', null, 0.2],
    ]);
    expect(await entries({ entry: 'never priced' })).toEqual([]);
    // An entry of a table is found only in changes of options, not of users.
    expect(await entries({ entry: 'audited-a', subjects: ['USER'] })).toEqual([]);
  });

  it('are found by the model in tables of thousands of models, too', async () => {
    const cards: Record<string, unknown> = {};
    const inOrder = (a: string, b: string) => Number(a.split('-').at(-1)) - Number(b.split('-').at(-1));
    for (let n = 0; n < 2500; n++) cards[`a-model-of-a-large-catalogue-${n}`] = { prices: { input: 1, output: n + 1 } };
    const set = () =>
      site.expectSuccess(root, 'PUT', '/api/option/', { key: 'PriceCards', value: JSON.stringify(cards) });
    await set();
    const name = 'a-model-of-a-large-catalogue-2400';
    cards[name] = { prices: { input: 7, output: 8 } };
    await set();
    delete cards['a-model-of-a-large-catalogue-2401'];
    await set();
    const found = await entries({ entry: name, subjectIds: ['PriceCards'] });
    // The newest row comes first: the change, then the import, whose entries have several parts.
    expect(found).toHaveLength(2);
    expect(found[1]?.changes.flatMap(({ after }) => Object.keys(JSON.parse(after ?? '') as object))).toEqual(
      Object.keys(cards).concat('a-model-of-a-large-catalogue-2401').sort(inOrder),
    );
    expect(found.slice(0, 1).map(({ changes }) => changes.map(({ before, after }) => [before, after]))).toEqual([
      [
        [
          JSON.stringify({ [name]: { prices: { input: 1, output: 2401 } } }),
          JSON.stringify({ [name]: { prices: { input: 7, output: 8 } } }),
        ],
      ],
    ]);
    expect(await entries({ entry: 'a-model-of-a-large-catalogue-2401', subjectIds: ['PriceCards'] })).toHaveLength(2);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'PriceCards', value: '{}' });
  });

  it('keep nothing of what was refused', async () => {
    await site.rest(root, 'PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":' });
    await site.rest(admin, 'PUT', '/api/option/', { key: 'ServerAddress', value: 'https://evil.example' });
    expect(await entries({ subjects: ['OPTION'], subjectIds: ['GroupRatio'] })).toEqual([]);
    expect(await entries({ subjects: ['OPTION'], subjectIds: ['ServerAddress'] })).toEqual([]);
  });

  it('keep the order in which parallel changes took effect', async () => {
    const values = ['10', '20', '30', '40', '50'];
    await Promise.all(
      values.map((value) => site.rest(root, 'PUT', '/api/option/', { key: 'QuotaRemindThreshold', value })),
    );
    const found = (await entries({ subjects: ['OPTION'], subjectIds: ['QuotaRemindThreshold'] })).reverse();
    const changes = found.map((entry) => entry.changes[0]);
    expect(changes.map((change) => change?.before)).toEqual(['1000', ...changes.map((one) => one?.after)].slice(0, 5));
  });
});

describe('users', () => {
  it('are kept when made, edited, granted, managed and removed; a password only as changed', async () => {
    const password = 'planted password';
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, group: 'vip', password });
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, quota_delta: 500 });
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'promote' });
    await site.expectSuccess(root, 'DELETE', `/api/user/${user.id}`);
    const found = (await entries({ subjects: ['USER'], subjectIds: [String(user.id)] })).reverse();
    expect(found.map(({ action, actorId }) => [action, actorId])).toEqual([
      ['create', root.id],
      ['update', admin.id],
      ['grant', admin.id],
      ['promote', root.id],
      ['delete', root.id],
    ]);
    expect(found[1]?.changes).toEqual([
      { field: 'group', before: 'default', after: 'vip' },
      { field: 'password', before: null, after: '***' },
    ]);
    expect(found[2]?.changes).toEqual([{ field: 'quota', before: '0', after: '500' }]);
    expect(found[3]?.changes).toEqual([{ field: 'role', before: 'common', after: 'admin' }]);
    expect(found[4]?.changes).toContainEqual({ field: 'username', before: user.username, after: null });
    expect(JSON.stringify(await site.query('SELECT a::text FROM audit_entries a'))).not.toMatch(/planted|argon2/);
  });
});

describe('own accounts', () => {
  const change = async (person: Person): Promise<void> => {
    const self = { username: person.username.toUpperCase(), original_password: person.password };
    await site.expectSuccess(person, 'PUT', '/api/user/self', { ...self, password: 'planted-password' });
    await site.expectSuccess(person, 'GET', '/api/user/token');
    const make = 'mutation { createAccessToken(input: { name: "ci", scopes: [WRITE] }) { accessToken { id } } }';
    const made = (await site.graphql(person, make)).data?.['createAccessToken'] as { accessToken: { id: number } };
    await site.graphql(person, `mutation { revokeAccessToken(id: ${made.accessToken.id}) { accessToken { id } } }`);
    await site.expectSuccess(person, 'DELETE', '/api/user/self');
  };

  it('are kept when admins change what they sign in with, a secret only as changed', async () => {
    const someone = await site.invite(root, 'admin');
    await change(someone);
    const found = await entries({ subjects: ['USER'], subjectIds: [String(someone.id)], actorIds: [someone.id] });
    expect(found.map(({ action }) => action).reverse()).toEqual([
      ...['update', 'renewAccessToken', 'createAccessToken', 'revokeAccessToken', 'delete'],
    ]);
    expect(found[4]?.changes).toEqual([
      { field: 'password', before: null, after: '***' },
      { field: 'username', before: someone.username, after: someone.username.toUpperCase() },
    ]);
    expect(found[2]?.changes).toEqual([
      { field: 'name', before: null, after: 'ci' },
      { field: 'scopes', before: null, after: 'WRITE' },
    ]);
  });

  it('of common users are their own business', async () => {
    const someone = await site.invite(root);
    await change(someone);
    expect(await entries({ actorIds: [someone.id] })).toEqual([]);
  });
});

describe('channels', () => {
  const channel = { name: 'c', type: 1, key: 'sk-planted-channel-key', models: 'gpt-4o', group: 'default', tag: 't' };

  it('are kept when made, edited, tagged, switched and deleted, without their keys', async () => {
    await site.expectSuccess(admin, 'POST', '/api/channel/', channel);
    const [row] = await site.query<{ id: number }>(`SELECT id FROM channels WHERE name = 'c'`);
    const id = row?.id ?? 0;
    const proxy = '{"proxy":"http://someone:planted-word@proxy.example:3128"}';
    await site.expectSuccess(admin, 'PUT', '/api/channel/', { id, models: 'gpt-4.1', key: 'sk-planted-other-key' });
    await site.expectSuccess(admin, 'PUT', '/api/channel/', { id, setting: proxy });
    await site.expectSuccess(admin, 'POST', '/api/channel/tag/disabled', { tag: 't' });
    await site.expectSuccess(admin, 'POST', '/api/channel/batch', { ids: [id] });
    const found = (await entries({ subjects: ['CHANNEL'], subjectIds: [String(id)] })).reverse();
    expect(found.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'update', 'delete']);
    expect(found[1]?.changes).toEqual([
      { field: 'key', before: '***', after: '***' },
      { field: 'models', before: '["gpt-4o"]', after: '["gpt-4.1"]' },
    ]);
    expect(found[3]?.changes).toEqual([{ field: 'status', before: 'enabled', after: 'disabled' }]);
    expect(JSON.stringify(await site.query('SELECT a::text FROM audit_entries a'))).not.toContain('planted');
  });
});

it('names users, channels and keys as they are now, and what was deleted not at all', async () => {
  const nameOf = async (subject: string, id: number) => {
    const query = `query ($filter: AuditFilter) { auditEntries(filter: $filter) { items { subjectName } } }`;
    const { data, text } = await site.graphql(root, query, {
      filter: { subjects: [subject], subjectIds: [String(id)] },
    });
    if (!data) throw new Error(text);
    return (data['auditEntries'] as { items: Array<{ subjectName: string | null }> }).items.at(0)?.subjectName;
  };
  const channel = { name: 'once', type: 1, key: 'sk-named', models: 'gpt-4o', group: 'default' };
  await site.expectSuccess(admin, 'POST', '/api/channel/', channel);
  const [{ id } = { id: 0 }] = await site.query<{ id: number }>(`SELECT id FROM channels WHERE name = 'once'`);
  await site.expectSuccess(admin, 'PUT', '/api/channel/', { id, name: 'renamed' });
  expect(await nameOf('CHANNEL', id)).toBe('renamed');
  await site.expectSuccess(admin, 'DELETE', `/api/channel/${id}`);
  expect(await nameOf('CHANNEL', id)).toBeNull();
  const other = await site.invite(root);
  await site.expectSuccess(root, 'POST', '/api/user/manage', { id: other.id, action: 'disable' });
  expect(await nameOf('USER', other.id)).toBe(other.username);
  await site.expectSuccess(root, 'POST', '/api/user/manage', { id: other.id, action: 'delete' });
  expect(await nameOf('USER', other.id)).toBeNull();
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '4' });
  const settings = await site.graphql(
    root,
    '{ auditEntries(filter: { subjects: [OPTION] }) { items { subjectName } } }',
  );
  expect(settings.text).not.toContain('"subjectName":"');
});

it('is root’s alone to read, a page at a time', async () => {
  expect((await site.graphql(admin, 'query { auditEntries { totalCount } }')).codes).toEqual([
    'INSUFFICIENT_PRIVILEGES',
  ]);
  const { data } = await site.graphql(root, `query { auditEntries(page: 1, pageSize: 2) { ${fields} } }`);
  const page = data?.['auditEntries'] as { items: Entry[]; totalCount: number };
  expect(page.items).toHaveLength(2);
  expect(page.totalCount).toBeGreaterThan(10);
  expect(await entries({ actorIds: [999_999] })).toEqual([]);
  expect(await entries({ created: { from: '2999-01-01T00:00:00Z' } })).toEqual([]);
  const pages: Entry[] = [];
  const query = `query ($after: String) {
    auditEntries(after: $after, pageSize: 3, sort: [{ field: CREATED_AT, direction: ASC }]) {
      ${fields} pageInfo { endCursor hasNextPage }
    }
  }`;
  for (let after: string | null = null, more = true; more;) {
    const read = (await site.graphql(root, query, { after })).data?.['auditEntries'] as {
      items: Entry[];
      pageInfo: { endCursor: string | null; hasNextPage: boolean };
    };
    pages.push(...read.items);
    ({ endCursor: after, hasNextPage: more } = read.pageInfo);
  }
  expect(pages).toHaveLength(page.totalCount);
  expect(pages.reverse().slice(2, 4)).toEqual(page.items);
});

describe('the export', () => {
  const rows = async (query: string): Promise<string[][]> => {
    const { body, headers } = await site.rest(root, 'GET', `/api/audit/export?${query}`);
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    return String(body['text'])
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
  };

  it('has a line per changed field, newest first, of what the filter names, beyond one read', async () => {
    await site.query(
      `INSERT INTO audit_entries (actor_id, actor_name, ip, action, subject, subject_id, changes)
       SELECT CASE WHEN n % 2 = 1 THEN $1::int ELSE $2::int END, 'name', '127.0.0.1', 'update', 'option', 'ExportTest',
              jsonb_build_array(jsonb_build_object('field', 'value', 'before', (n - 1)::text, 'after', n::text))
         FROM generate_series(1, 105) AS n ORDER BY n`,
      [admin.id, root.id],
    );
    const [head, ...lines] = await rows('subject=option&subject_id=ExportTest');
    expect(head).toEqual([
      'id',
      'time',
      'actor_id',
      'actor',
      'ip',
      'action',
      'subject',
      'subject_id',
      'field',
      'before',
      'after',
    ]);
    expect(lines).toHaveLength(105);
    expect(lines[0]?.slice(2)).toEqual([
      String(admin.id),
      'name',
      '127.0.0.1',
      'update',
      'option',
      'ExportTest',
      'value',
      '104',
      '105',
    ]);
    expect(lines.map((cells) => Number(cells[10]))).toEqual(Array.from({ length: 105 }, (_, index) => 105 - index));
    expect(await rows(`subject_id=ExportTest&actor_id=${root.id}`)).toHaveLength(1 + 52);
    const later = Math.floor(Date.now() / 1000) + 60;
    expect(await rows(`start_timestamp=${later}`)).toHaveLength(1);
    expect(await rows(`subject_id=ExportTest&end_timestamp=${later}`)).toHaveLength(106);
    expect(await rows('subject_id=ExportTest&end_timestamp=9000000000000000')).toHaveLength(106);
    expect(await rows('start_timestamp=9000000000000000')).toHaveLength(1);
  });

  it('finds the changes of the price of one model, and hides secrets', async () => {
    const { body } = await site.rest(root, 'GET', '/api/option/');
    const before = (body.data as Array<{ key: string; value: string }>).find(({ key }) => key === 'ModelRatio')?.value;
    const table = JSON.parse(before ?? '{}') as Record<string, number>;
    for (const price of [7, 8])
      await site.expectSuccess(root, 'PUT', '/api/option/', {
        key: 'ModelRatio',
        value: JSON.stringify({ ...table, 'export-model': price }),
      });
    await site.rest(root, 'PUT', '/api/option/', { key: 'SMTPToken', value: 'planted-secret' });
    expect(await rows('entry=export-model')).toHaveLength(3);
    expect(await rows('entry=export-mode')).toHaveLength(1);
    const all = String((await site.rest(root, 'GET', '/api/audit/export')).body['text']);
    expect(all).toContain('SMTPToken');
    expect(all).not.toContain('planted-secret');
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ModelRatio', value: before });
    await site.rest(root, 'PUT', '/api/option/', { key: 'SMTPToken', value: '' });
  });

  it('is for root', async () => {
    for (const person of [await site.invite(root, 'admin'), await site.invite(root)])
      expect((await site.rest(person, 'GET', '/api/audit/export')).body['code']).toBe('INSUFFICIENT_PRIVILEGES');
  });
});
