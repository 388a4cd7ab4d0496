import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { poolOf } from '../../server/src/platform/db/data-source.js';
import { StatementCloser } from '../../server/src/billing/statements/index.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { pdfText } from '../support/pdf-text.js';
import { beginLastMonth } from '../support/statement-month.js';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let buyer: Person;
let other: Person;
/** The statement of the buyer. */
let id: number;

/** The last day of the month that `closeMonth` closes. */
const lastMonth = (): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
};

const closeMonth = async (): Promise<void> => {
  const closer = new StatementCloser({
    database: site.dataSource,
    options: {
      values: {
        ...defaultOptionValues(),
        'statements.seller_name': 'Gate GmbH',
        'statements.seller_address': 'Hauptstraße 1, 10115 Berlin',
        'statements.seller_tax_id': 'DE123456789',
        'statements.note': 'Thank you.',
      },
    },
    announce: () => Promise.resolve(),
  });
  while ((await closer.closeNext(Date.now() / 1000)) !== null);
};

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  buyer = await site.invite(root);
  other = await site.invite(root);
  await beginLastMonth((text) => site.query(text));
  await site.query(`UPDATE users SET created_at = created_at - interval '70 days'`);
  const profile = { name: '株式会社 例', address: '東京都千代田区 1-1', taxNumber: 'T1234567890123', notifies: true };
  const { data } = await site.graphql(
    buyer,
    'mutation ($input: UpdateBillingProfileInput!) { updateBillingProfile(input: $input) { profile { name taxNumber notifies } } }',
    { input: profile },
  );
  expect(data).toEqual({
    updateBillingProfile: { profile: { name: profile.name, taxNumber: profile.taxNumber, notifies: true } },
  });
  await site.query(
    `SELECT ledger_post('epay:A1', 'top_up', 'user', $1, 0, 1000000, 0, 'internal remark', NULL),
            ledger_post('reversal:7', 'top_up', 'user', $1, 0, -1000, 0, '', NULL),
            ledger_post('check_in:x', 'check_in', 'user', $1, 0, 500, 0, '', NULL)`,
    [buyer.id],
  );
  const [month] = await site.query<{ at: string }>(
    `SELECT extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC') - interval '10 days')::bigint AS at`,
  );
  const at = Number(month?.at);
  await site.query(`UPDATE ledger_entries SET created_at = to_timestamp($2) WHERE user_id = $1`, [buyer.id, at]);
  const [token] = await site.query<{ id: number }>(
    `WITH member AS (INSERT INTO memberships (organisation_id, user_id, role) VALUES ($1, $2, 'member') RETURNING id),
          project AS (INSERT INTO projects (organisation_id, name) VALUES ($1, 'Web shop') RETURNING id)
     INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, unlimited_quota, name, member_id, project_id)
     SELECT $1, decode(md5('statement'), 'hex'), 'test', 'test', true, '=cmd', member.id, project.id FROM member, project
     RETURNING id`,
    [buyer.id, other.id],
  );
  for (const [index, model] of ['gpt-4o', 'gpt-4o', 'claude'].entries()) {
    await site.query(`SELECT ledger_reserve_one('node', $1::json), ledger_settle_one($2::json)`, [
      JSON.stringify({ r: `call-${index}`, u: buyer.id, t: token?.id, a: 300, m: 300 }),
      JSON.stringify({
        request_id: `call-${index}`,
        user_id: buyer.id,
        token_id: token?.id,
        charge: 200 + index,
        counted: 1,
        logged: true,
        created_at: at - (at % 3600),
        channel_id: 0,
        username: buyer.username,
        token_name: '=cmd',
        model_name: model,
        group: 'default',
        prompt_tokens: 10,
        completion_tokens: 5,
        cached_tokens: 0,
        duration_ms: 1,
        duration_bucket: 0,
        first_token_bucket: null,
        cost_nano_usd: null,
        is_stream: false,
        content: '',
        other: {},
      }),
    ]);
  }
  await closeMonth();
  const list = await site.graphql(buyer, '{ myStatements { items { id } } }');
  id = (list.data as { myStatements: { items: Array<{ id: number }> } }).myStatements.items[0]!.id;
});
afterAll(() => site.stop());

const statement = `number month accountId opening credits usage closing reserved quotaPerUsd timeZone
  seller { name address taxNumber note } buyer { username name address taxNumber }
  movements { kind count amount } payments { kind amount reference }
  usageBy { tokenName modelName calls promptTokens quota }
  byModel: usageBy(dimensions: [MODEL]) { tokenId modelName quota } total: usageBy(dimensions: []) { quota calls }
  byMember: usageBy(dimensions: [MEMBER]) { tokenId memberName quota }
  byProject: usageBy(dimensions: [PROJECT]) { memberId projectName quota }`;

it('shows an account its own statement, grouped in several ways, and the texts of both sides', async () => {
  const { data } = await site.graphql(buyer, `query ($id: Int!) { statement(id: $id) { ${statement} } }`, { id });
  const year = lastMonth().getUTCFullYear();
  expect(data?.['statement']).toMatchObject({
    accountId: buyer.id,
    opening: 0,
    credits: 999_500,
    usage: 603,
    closing: 998_897,
    reserved: 0,
    quotaPerUsd: 500_000,
    timeZone: 'UTC',
    number: expect.stringMatching(new RegExp(`^${year}-00000[1-9]$`)),
    seller: { name: 'Gate GmbH', address: 'Hauptstraße 1, 10115 Berlin', taxNumber: 'DE123456789', note: 'Thank you.' },
    buyer: { username: buyer.username, name: '株式会社 例', taxNumber: 'T1234567890123' },
    movements: [
      { kind: 'top_up', count: 1, amount: 1_000_000 },
      { kind: 'payment_refund', count: 1, amount: -1000 },
      { kind: 'check_in', count: 1, amount: 500 },
    ],
    payments: [
      { kind: 'top_up', amount: 1_000_000, reference: 'A1' },
      { kind: 'payment_refund', amount: -1000, reference: '' },
    ],
    usageBy: [
      { tokenName: '=cmd', modelName: 'gpt-4o', calls: 2, promptTokens: 20, quota: 401 },
      { tokenName: '=cmd', modelName: 'claude', calls: 1, promptTokens: 10, quota: 202 },
    ],
    byMember: [{ tokenId: null, memberName: other.username, quota: 603 }],
    byProject: [{ memberId: null, projectName: 'Web shop', quota: 603 }],
    byModel: [
      { tokenId: null, modelName: 'gpt-4o', quota: 401 },
      { tokenId: null, modelName: 'claude', quota: 202 },
    ],
    total: [{ quota: 603, calls: 3 }],
  });
  // Remarks of admins are internal.
  expect(JSON.stringify(data)).not.toContain('internal remark');
  expect(await reconcile(poolOf(site.dataSource))).toEqual([]);
});

it('hides it from other accounts, and shows it to those who may see payments', async () => {
  const read = async (person: Person) =>
    (await site.graphql(person, 'query ($id: Int!) { statement(id: $id) { id } }', { id })).data?.['statement'];
  expect([await read(other), await read(root)]).toEqual([null, { id }]);
  for (const path of ['', '/csv']) {
    expect((await site.rest(other, 'GET', `/api/statement/${id}${path}`)).body).toMatchObject({ success: false });
  }
  const ask =
    'query ($account: Int!) { statementPreview(accountId: $account) { accountId } billingProfile(accountId: $account) { name } }';
  expect((await site.graphql(other, ask, { account: buyer.id })).codes).toEqual([
    'INSUFFICIENT_PRIVILEGES',
    'INSUFFICIENT_PRIVILEGES',
  ]);
  expect((await site.graphql(root, ask, { account: buyer.id })).data).toEqual({
    statementPreview: { accountId: buyer.id },
    billingProfile: { name: '株式会社 例' },
  });
  const list = `query ($filter: StatementFilter) { statements(filter: $filter) { items { id } totalCount } }`;
  expect((await site.graphql(root, list, { filter: { accountIds: [buyer.id], months: ['1999-01'] } })).data).toEqual({
    statements: { items: [], totalCount: 0 },
  });
  expect((await site.graphql(root, list, { filter: { accountIds: [buyer.id] } })).data).toEqual({
    statements: { items: [{ id }], totalCount: 1 },
  });
});

it('reads the same over REST, and its CSV adds up to the closing balance', async () => {
  const data = (await site.rest(buyer, 'GET', `/api/statement/${id}`)).body.data as Record<string, unknown>;
  expect(data).toMatchObject({ id, account_id: buyer.id, opening: 0, credits: 999_500, usage: 603, closing: 998_897 });
  const own = (await site.rest(buyer, 'GET', '/api/statement/self?p=1')).body.data;
  // Lists have no lines: a statement may have thousands.
  const { movements: _movements, payments: _payments, lines: _lines, ...listed } = data;
  expect(own).toMatchObject({ total: 1, items: [listed] });
  expect(Object.keys((own as { items: object[] }).items[0]!).sort()).toEqual(Object.keys(listed).sort());
  const all = (await site.rest(root, 'GET', `/api/statement?p=1&account_id=${buyer.id}`)).body.data;
  expect(all).toMatchObject({ total: 1, items: [listed] });

  const text = String((await site.rest(buyer, 'GET', `/api/statement/${id}/csv`)).body['text']);
  const rows = text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  expect(rows[0]).toEqual(
    'line,kind,token_id,token_name,model_name,count,prompt_tokens,completion_tokens,quota,usd,member_id,member,project_id,project'.split(
      ',',
    ),
  );
  const quotas = rows.slice(1).map((row) => Number(row[8]));
  expect(quotas).toEqual([0, 1_000_000, -1000, 500, -401, -202, 998_897]);
  expect(quotas.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(quotas.at(-1));
  expect(rows[5]?.slice(-3)).toEqual([other.username, expect.stringMatching(/^\d+$/), 'Web shop']);
  // A name that a spreadsheet would run is quoted.
  expect(rows[5]?.[3]).toBe(`'=cmd`);
  const exported = String((await site.rest(root, 'GET', '/api/statement/export')).body['text']);
  expect(exported.split('\r\n').find((line) => line.includes(buyer.username))).toContain(
    `,株式会社 例,東京都千代田区 1-1,T1234567890123,0,999500,603,998897,500000`,
  );
});

it('is a page for printing and a PDF file, in the language of the reader and for its readers only', async () => {
  const read = (person: Person, path: string) =>
    fetch(`${site.server.url}/api/statement/${path}`, {
      headers: { cookie: person.cookie, ...(path.includes('print') ? {} : { 'veloera-user': String(person.id) }) },
    });
  const page = await read(buyer, `${id}/print?language=ja`);
  expect([page.headers.get('content-type'), page.headers.get('content-security-policy')]).toEqual([
    'text/html; charset=utf-8',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  ]);
  expect(await page.text()).toContain('株式会社 例');
  const file = await read(buyer, `${id}/pdf?language=zh`);
  expect([file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
    'application/pdf',
    `attachment; filename="statement-${id}.pdf"`,
  ]);
  const text = pdfText(Buffer.from(await file.arrayBuffer())).replaceAll(/\s/g, '');
  expect(text).toContain('对账单');
  expect(text).toContain('株式会社例');
  expect(text).toContain('$1.997794');
  for (const path of [`${id}/print`, `${id}/pdf`]) {
    expect(await (await read(other, path)).json()).toMatchObject({ success: false, code: 'NOT_FOUND' });
  }
  const { data } = await site.graphql(
    buyer,
    'mutation { createAccessToken(input: { name: "print", scopes: [ACCOUNT_READ] }) { secret } }',
  );
  const { secret } = data?.['createAccessToken'] as { secret: string };
  const printed = await fetch(`${site.server.url}/api/statement/${id}/print?language=ja`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(await printed.text()).toContain('株式会社 例');
  expect(await (await read(buyer, 'preview/print')).text()).toContain('Preview: this month still runs');
  expect((await read(buyer, 'preview/pdf')).headers.get('content-type')).toBe('application/pdf');
});

it('lists the lines where they are asked for, and the months', async () => {
  const parts = 'usageBy { modelName quota } movements { kind amount } payments { reference }';
  const { data } = await site.graphql(
    buyer,
    `query ($id: Int!) { whole: statement(id: $id) { ${parts} }
      myStatements { items { ${parts} } } light: myStatements { items { number buyer { name } timeZone } } }`,
    { id },
  );
  expect(data?.['myStatements']).toEqual({ items: [data?.['whole']] });
  expect(data?.['light']).toMatchObject({ items: [{ buyer: { name: '株式会社 例' }, timeZone: 'UTC' }] });
  const month = lastMonth().toISOString().slice(0, 7);
  expect((await site.graphql(root, '{ statementMonths }')).data?.['statementMonths']).toContain(month);
  expect((await site.graphql(other, '{ statementMonths }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('previews the month of another account for those who see payments', async () => {
  const path = (form: string) => `/api/statement/preview${form}?account_id=${buyer.id}`;
  expect((await site.rest(root, 'GET', path(''))).body.data).toMatchObject({ account_id: buyer.id });
  for (const form of ['', '/pdf']) {
    expect((await site.rest(other, 'GET', path(form))).body).toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
  }
  const print = (person: Person) => fetch(site.server.url + path('/print'), { headers: { cookie: person.cookie } });
  expect(await (await print(root)).text()).toContain('株式会社 例');
  expect(await (await print(other)).json()).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
});

it('has the billing details over REST', async () => {
  const read = async (person: Person, query = '') =>
    (await site.rest(person, 'GET', `/api/statement/profile${query}`)).body;
  const mine = (await read(buyer)).data;
  expect(mine).toMatchObject({ name: '株式会社 例', tax_id: 'T1234567890123', notifies: true });
  expect((await read(root, `?account_id=${buyer.id}`)).data).toEqual(mine);
  expect(await read(other, `?account_id=${buyer.id}`)).toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
  const change = (body: object) => site.rest(other, 'PUT', '/api/statement/profile', body);
  const changed = { name: 'Other Ltd', address: '', tax_id: 'GB1', notifies: false };
  expect((await change({ name: 'Other Ltd', tax_id: 'GB1' })).body.data).toEqual(changed);
  expect((await change({ address: 'London' })).body.data).toEqual({ ...changed, address: 'London' });
  expect((await change({ name: 'x'.repeat(201) })).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
});

it('prints a statement of an organisation for its owner, whose browser sends no header', async () => {
  const create = 'mutation { createOrganisation(input: { name: "Printers" }) { organisation { id } } }';
  const { data } = await site.graphql(buyer, create);
  const { organisation } = data?.['createOrganisation'] as { organisation: { id: number } };
  const print = (person: Person, given: string) =>
    fetch(`${site.server.url}/api/statement/preview/print?organization=${given}`, {
      headers: { cookie: person.cookie },
    });
  expect(await (await print(buyer, String(organisation.id))).text()).toContain('Printers');
  expect(await (await print(other, String(organisation.id))).json()).toMatchObject({ code: 'NOT_FOUND' });
  expect(await (await print(buyer, 'x')).json()).toMatchObject({ code: 'INVALID_INPUT' });
});

it('previews the month that runs, with what is held by calls in flight', async () => {
  await site.query(`SELECT ledger_post('epay:A2', 'top_up', 'user', $1, 0, 7, 0, '', NULL)`, [buyer.id]);
  await site.query(`SELECT ledger_reserve_one('node', $1::json)`, [
    JSON.stringify({ r: 'open', u: buyer.id, t: 0, a: 30, m: 30 }),
  ]);
  const { data } = await site.graphql(
    buyer,
    '{ statementPreview { id number closedAt opening credits usage closing reserved } me { quota } }',
  );
  expect(data).toEqual({
    statementPreview: {
      id: null,
      number: null,
      closedAt: null,
      opening: 998_897,
      credits: 7,
      usage: 0,
      closing: 998_904,
      reserved: 30,
    },
    me: { quota: 998_874 },
  });
  expect((await site.rest(buyer, 'GET', '/api/statement/preview')).body.data).toMatchObject({
    id: null,
    closing: 998_904,
  });
});

it.each([
  ['name', 'x'.repeat(201)],
  ['address', 'x'.repeat(501)],
  ['taxNumber', 'a\0b'],
])('refuses a %s that does not fit', async (field, value) => {
  const { codes } = await site.graphql(
    buyer,
    'mutation ($input: UpdateBillingProfileInput!) { updateBillingProfile(input: $input) { profile { name } } }',
    { input: { [field]: value } },
  );
  expect(codes).toEqual(['INVALID_INPUT']);
});
