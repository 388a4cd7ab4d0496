import { malformedJson, unauthorized } from '../support/upstream/faults.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Answer, type Person } from './site.js';

type WireChannel = Record<string, unknown> & { id: number; key: string };

let site: Site;
let upstream: Upstream;
let root: Person;
let admin: Person;
let common: Person;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  common = await site.invite(root);
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(async () => {
  upstream.reset();
  await site.query('DELETE FROM channels');
  await site.expectSuccess(root, 'POST', '/api/channel/fix');
});

const call = (method: string, path: string, body?: unknown): Promise<Answer> => site.rest(admin, method, path, body);
const rows = (answer: Answer): WireChannel[] => answer.body.data as WireChannel[];
const failure = (message: string): object => ({ success: false, message });

const body = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'main',
  type: 1,
  key: 'sk-planted-upstream-key',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  base_url: upstream.url,
  ...more,
});

async function create(more: Record<string, unknown> = {}): Promise<number> {
  await site.expectSuccess(admin, 'POST', '/api/channel/', body(more));
  const [row] = await site.query<{ id: number }>('SELECT max(id) AS id FROM channels');
  return row?.id ?? 0;
}

const manageRows = (): Promise<Array<{ content: string; username: string }>> =>
  site.query('SELECT content, username FROM logs WHERE type = 3 ORDER BY id');

describe('creating', () => {
  it('answers without data, keeps the key sealed and applies the defaults', async () => {
    const answer = await call('POST', '/api/channel/', body({ id: 4711, group: undefined, type: undefined }));
    expect(answer.body).toEqual({ success: true, message: '' });
    const [row] = await site.query<Record<string, unknown>>('SELECT * FROM channels');
    expect(row).toMatchObject({
      type: 1,
      status: 'enabled',
      auto_disable: true,
      weight: 0,
      priority: 0,
      groups: ['default'],
    });
    expect(row?.['id']).not.toBe(4711);
    expect(JSON.stringify(row)).not.toContain('planted');
    expect((row?.['created_at'] as Date).getTime()).toBeGreaterThan(1_700_000_000_000);
  });

  it.each(['gpt-4o，gpt-4o-mini', 'gpt-4o;gpt-4o-mini', 'gpt-4o；gpt-4o-mini', 'gpt-4o\r\ngpt-4o-mini\n'])(
    'splits a list of models that people paste: %j',
    async (models) => {
      const id = await create({ models, group: models.replaceAll('gpt-4o', 'vip') });
      const { body } = await call('GET', `/api/channel/${id}`);
      expect(body.data).toMatchObject({ models: 'gpt-4o,gpt-4o-mini', group: 'vip,vip-mini' });
    },
  );

  it('trims and de-duplicates models and groups, strips the slash, joins keys from lines', async () => {
    const id = await create({
      models: ' gpt-4o , gpt-4o,, o1 ',
      group: 'vip, default ,vip',
      base_url: 'https://example.com/ ',
      key: 'sk-a\n\n sk-b ,sk-c',
    });
    const { body: detail } = await call('GET', `/api/channel/${id}`);
    expect(detail.data).toMatchObject({
      models: 'gpt-4o,o1',
      group: 'vip,default',
      base_url: 'https://example.com',
      key: 'sk-a,sk-b,sk-c',
    });
  });

  it.each([
    [{ name: ' ' }, 'Channel name must not be empty'],
    [{ name: undefined }, 'Fill in the channel name'],
    [{ key: undefined }, 'Fill in the channel key'],
    [{ key: ' ,\n' }, 'Fill in the channel key'],
    [{ models: undefined }, 'At least one model is required'],
    [{ models: ' , ' }, 'At least one model is required'],
    [{ group: ' , ' }, 'At least one group is required'],
    [{ models: 'm'.repeat(256) }, 'Model name too long'],
    [{ type: 9999 }, 'Unknown channel type'],
    [{ type: 8, base_url: '' }, 'Channels of this type need a base URL'],
    [{ base_url: 'file:///etc/passwd' }, 'Base URL must be an http:// or https:// address'],
    [{ base_url: 'wss://provider.example' }, 'Base URL must be an http:// or https:// address'],
    [{ type: 41, other: '' }, 'Deployment region must not be empty'],
    [{ type: 41, other: '{"gpt":"us"}' }, 'Deployment region must contain default'],
    [{ model_mapping: '{' }, 'Model mapping must be valid JSON'],
    [{ model_mapping: '{"a":1}' }, 'Model mapping: values must be texts'],
    [{ setting: '[]' }, 'Channel setting: must be a JSON object'],
    [{ setting: '{"chat_upstream":"both"}' }, 'Channel setting: chat_upstream must be chat, responses or alternative'],
    [
      { setting: '{"chat_upstream":"alternative"}' },
      'Channel setting: chat_upstream must be chat or responses for this type',
    ],
    [
      { type: 17, base_url: 'qwen-coding-plan', setting: '{"chat_upstream":"alternative"}' },
      'Channel setting: chat_upstream cannot be alternative at the address of a coding plan',
    ],
    [{ type: 24, other: 'beta' }, 'other must be a version of the API, such as v1beta, or versions by model'],
    [{ setting: '{"proxy":"gopher://x"}' }, 'Channel setting: proxy must be an http://, https:// or socks5:// address'],
    [{ param_override: 'x' }, 'Parameter override must be valid JSON'],
    [
      { param_override: '{"operations":[{"mode":"set","path":"a"}]}' },
      'Parameter override: operation 1 (set): value is missing',
    ],
    [{ header_override: '{"x-a":1}' }, 'Header override: operation 1 (set): the value of a header must be a text'],
    [
      { header_override: '{"x-a":"b\\r\\nx-c: d"}' },
      'Header override: operation 1 (set): the value of a header must not contain line breaks or control characters',
    ],
    [
      { header_override: '{"Authorization":"Bearer sk-another"}' },
      'Header override: operation 1 (set): authorization may only contain {api_key}, the key of this channel',
    ],
    [{ status_code_mapping: '1' }, 'Status code mapping: must be a JSON object'],
    ...['{"404":"abc"}', '{"404":""}', '{"x":"500"}', '{"404":600}', '{"404":["500"]}', '{"40":500}'].map(
      (status_code_mapping): [Record<string, unknown>, string] => [
        { status_code_mapping },
        'Status codes are whole numbers from 100 to 599',
      ],
    ),
    [{ model_prefix: 'p'.repeat(65) }, 'Model prefix must have at most 64 characters'],
    [{ weight: -1 }, 'weight must be a whole number from 0 to 2147483647'],
    [{ auto_ban: 2 }, 'autoBan must be a whole number from 0 to 1'],
    [{ status: 4 }, 'status must be a whole number from 1 to 3'],
    [{ priority: 1.5 }, expect.stringMatching(/^Invalid parameter/)],
    [{ name: 5 }, expect.stringMatching(/^Invalid parameter/)],
  ])('refuses %j', async (more, message) => {
    const answer = await call('POST', '/api/channel/', body(more));
    expect([answer.status, answer.body]).toEqual([200, { success: false, message, code: 'INVALID_INPUT' }]);
    expect(await site.query('SELECT 1 FROM channels')).toEqual([]);
  });

  it('names in the log what a form has changed, not what it contains', async () => {
    const id = await create();
    const { data } = (await call('GET', `/api/channel/${id}`)).body as { data: Record<string, unknown> };
    const form = { ...data, key: '' };
    await call('PUT', '/api/channel/', form);
    expect((await call('PUT', '/api/channel/', { ...form, weight: 7, models: 'gpt-4o' })).body).toMatchObject({
      success: true,
      data: { weight: 7 },
    });
    const rows = await site.query<{ content: string }>(`SELECT content FROM logs WHERE content LIKE 'Changed%'`);
    expect(rows.map(({ content }) => content)).toEqual([`Changed channel ${id} (main): weight, models`]);
    expect(
      await site.query(`SELECT 1 FROM audit_entries WHERE subject = 'channel' AND action = 'update'`),
    ).toHaveLength(1);
  });

  it('accepts numbers and texts as status codes', async () => {
    const id = await create({ status_code_mapping: '{"404":"500","429":503}' });
    const put = async (more: object) => (await call('PUT', '/api/channel/', { id, ...more })).body;
    expect(await put({ status_code_mapping: '{"404":"none"}' })).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await put({ weight: 3 })).toMatchObject({
      success: true,
      data: { weight: 3, status_code_mapping: '{"404":"500","429":"503"}' },
    });
  });

  it('shows JSON fields as they were written, in their order', async () => {
    const fields = {
      model_mapping: '{"gpt-4o-mini":"b","gpt-4o":"a","o":"\\u0000"}',
      setting: '{"zeta":1,"house":{"b":1,"a":2},"proxy":"http://proxy.example:1","chat_upstream":"responses"}',
      param_override: '{"top_p":1,"n":2,"long_name":{"b":1,"a":2}}',
      header_override: '{"x-team":"a","x-a":null}',
      limits: '{"key":{"concurrent_calls":2},"channel":{"daily_usd":1,"requests_per_minute":5}}',
      timeouts: '{"total_seconds":60,"idle_seconds":5}',
    };
    const id = await create(fields);
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject(fields);
    const copied = await site.graphql(
      admin,
      `mutation { copyChannel(input: { id: ${id}, name: "x" }) { channel { id } } }`,
    );
    const copy = (copied.data?.['copyChannel'] as { channel: { id: number } }).channel.id;
    expect((await call('GET', `/api/channel/${copy}`)).body.data).toMatchObject(fields);
    const lists = '{ channel(id: ID) { modelMapping { from } parameters setting { more } } }'.replace('ID', String(id));
    const { data } = await site.graphql(admin, lists);
    expect(JSON.stringify(data?.['channel'])).toBe(
      JSON.stringify({
        modelMapping: [{ from: 'gpt-4o-mini' }, { from: 'gpt-4o' }, { from: 'o' }],
        parameters: { top_p: 1, n: 2, long_name: { b: 1, a: 2 } },
        setting: { more: { zeta: 1, house: { b: 1, a: 2 }, chat_upstream: 'responses' } },
      }),
    );
  });

  it('refuses an override with the key of another channel, and accepts one with its own', async () => {
    const id = await create();
    const header = { header_override: '{"x-proxy":"key sk-planted-upstream-key"}' };
    const message = 'Header override: contains the key of another channel';
    const other = await call('POST', '/api/channel/', body({ ...header, key: 'sk-planted-other-key' }));
    expect(other.body).toEqual({ success: false, message, code: 'INVALID_INPUT' });
    await site.expectSuccess(admin, 'PUT', '/api/channel/', { id, ...header });
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject(header);
    const second = await create({ key: 'sk-planted-other-key' });
    const nested = { param_override: '{"operations":[{"mode":"set","path":"a","value":["sk-planted-upstream-key"]}]}' };
    const refused = await call('PUT', '/api/channel/', { id: second, ...nested });
    expect(refused.body.message).toBe('Parameter override: contains the key of another channel');
    await site.expectSuccess(admin, 'PUT', '/api/channel/', { id, header_override: '' });
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject({ header_override: '' });
  });

  it('lets Spark be asked at another WebSocket, and no type that has none', async () => {
    const base = { base_url: 'wss://maas-api.cn-huabei-1.xf-yun.com' };
    const id = await create({ type: 18, key: 'app|secret|key', ...base });
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject(base);
    const message = 'Base URL must be an http:// or https:// address';
    expect((await call('PUT', '/api/channel/', { id, type: 1 })).body).toMatchObject({ success: false, message });
  });

  it.each([
    [17, 'qwen-coding-plan'],
    [25, 'kimi-coding-plan'],
    [26, 'glm-coding-plan-international'],
    [43, 'deepseek-coding-plan'],
    [45, 'doubao-coding-plan'],
  ])(
    'takes the name of a coding plan as the base URL of type %i, as consoles of new-api send it: %s',
    async (type, base_url) => {
      const id = await create({ type, base_url });
      expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject({ base_url });
      const built = (await call('GET', `/api/channel/fetch_models/${id}`)).body;
      expect({ success: built.success, models: (built.data as string[]).length > 0 }).toEqual({
        success: true,
        models: true,
      });
      const message = 'Base URL must be an http:// or https:// address';
      for (const wrong of [{ type: 1 }, { base_url: 'other-coding-plan' }, { base_url: 'coding-plan' }]) {
        expect((await call('PUT', '/api/channel/', { id, ...wrong })).body).toMatchObject({ success: false, message });
      }
    },
  );

  it('refuses a body that is no JSON', async () => {
    expect((await call('POST', '/api/channel/', '{')).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
  });

  it('takes the text null of the old form for unset', async () => {
    await create({ model_mapping: 'null', setting: null });
    expect(rows(await call('GET', '/api/channel/'))[0]).toMatchObject({ model_mapping: '', setting: '' });
  });

  it('never splits a Vertex key, and takes a plain region', async () => {
    const key = '{"type":"service_account","a":"b,c"}';
    const id = await create({ type: 41, other: 'us-central1', key, base_url: '' });
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject({ key });
  });

  it('gives Spark its version', async () => {
    await create({ type: 18, base_url: '' });
    expect(rows(await call('GET', '/api/channel/'))[0]).toMatchObject({ other: 'v2.1' });
  });
});

describe('the list', () => {
  it('is a bare array from page 0 with every key, the upstream key blank', async () => {
    await create({ name: 'low', priority: 1 });
    await create({ name: 'high', priority: 5 });
    await create({ name: 'also low', priority: 1 });
    const all = rows(await call('GET', '/api/channel/'));
    expect(all.map(({ name }) => name)).toEqual(['high', 'also low', 'low']);
    expect(Object.keys(all[0] ?? {}).sort()).toEqual(
      [
        ...['id', 'type', 'key', 'openai_organization', 'test_model', 'status', 'name', 'weight', 'created_time'],
        ...['test_time', 'balance_updated_time', 'response_time', 'base_url', 'other', 'balance', 'models', 'group'],
        ...['used_quota', 'model_mapping', 'status_code_mapping', 'priority', 'auto_ban', 'other_info', 'tag'],
        ...[
          'setting',
          'param_override',
          'header_override',
          'limits',
          'timeouts',
          'model_prefix',
          'max_input_tokens',
          'owner_id',
          'expired_time',
        ],
      ].sort(),
    );
    expect(all.every(({ key }) => key === '')).toBe(true);
    const byId = rows(await call('GET', '/api/channel?id_sort=true&page_size=2'));
    expect(byId.map(({ name }) => name)).toEqual(['also low', 'high']);
    expect(rows(await call('GET', '/api/channel/?p=1&page_size=2&id_sort=1')).map(({ name }) => name)).toEqual(['low']);
    expect(rows(await call('GET', '/api/channel/?p=2&page_size=2'))).toEqual([]);
    expect(rows(await call('GET', '/api/channel/?p=NaN&page_size='))).toHaveLength(3);
  });

  it('pages tags in tag mode and shows whole tags', async () => {
    await create({ name: 'a1', tag: 'a', priority: 1 });
    await create({ name: 'b1', tag: 'b', priority: 9 });
    await create({ name: 'a2', tag: 'a', priority: 3 });
    await create({ name: 'none' });
    const all = rows(await call('GET', '/api/channel/?tag_mode=true'));
    expect(all.map(({ name }) => name)).toEqual(['b1', 'a2', 'a1']);
    expect(all.every(({ key }) => key === '')).toBe(true);
    const first = rows(await call('GET', '/api/channel/?tag_mode=true&page_size=1&p=1'));
    expect(first.map(({ name }) => name)).toEqual(['a2', 'a1']);
  });

  it('is searched by id, name, whole key, model and group', async () => {
    const first = await create({ name: 'Alpha_1', models: 'gpt-4o', group: 'vip', key: 'sk-one,sk-two' });
    await create({ name: 'beta', models: 'claude-3', tag: 't' });
    await create({ name: 'gamma', models: 'o1', tag: 't' });
    const names = async (query: string): Promise<unknown[]> =>
      rows(await call('GET', `/api/channel/search?id_sort=true&${query}`)).map(({ name }) => name);
    expect(await names(`keyword=${first}`)).toContain('Alpha_1');
    expect(await names('keyword=alpha_')).toEqual(['Alpha_1']);
    expect(await names('keyword=%25')).toEqual([]);
    expect(await names('keyword=sk-two')).toEqual(['Alpha_1']);
    expect(await names('keyword=sk-one,sk-two')).toEqual(['Alpha_1']);
    expect(await names('keyword=sk-tw')).toEqual([]);
    // The key is sealed with a lost key. The other channels must still be found.
    await site.query("UPDATE channels SET key_sealed = '' WHERE name = 'gamma'");
    expect(await names('keyword=sk-one')).toEqual(['Alpha_1']);
    expect(await names('model=claude')).toEqual(['beta']);
    expect(await names('group=vip')).toEqual(['Alpha_1']);
    expect(await names('group=vi')).toEqual([]);
    expect(await names('group=null&model=o')).toEqual(['gamma', 'Alpha_1']);
    expect(await names('keyword=beta&tag_mode=true')).toEqual(['gamma', 'beta']);
    expect(JSON.stringify((await call('GET', '/api/channel/search')).body)).not.toContain('sk-one');
  });
});

describe('one channel', () => {
  it('shows its key in the detail, and the log says who read it', async () => {
    const id = await create();
    expect((await call('GET', `/api/channel/${id}`)).body).toMatchObject({
      success: true,
      message: '',
      data: { id, key: 'sk-planted-upstream-key' },
    });
    const read = (await manageRows()).at(-1);
    expect(read).toEqual({ content: `Read the key of channel ${id} (main)`, username: admin.username });
  });

  it('whose key cannot be read says so wherever it is needed, until it has a new one', async () => {
    const id = await create();
    await site.query(`UPDATE channels SET key_sealed = 'v1.damaged' WHERE id = $1`, [id]);
    const refused = { success: false, message: 'The key of this channel cannot be read: enter it again' };
    for (const path of [`/api/channel/${id}`, `/api/channel/fetch_models/${id}`, `/api/channel/update_balance/${id}`]) {
      expect([path, (await call('GET', path)).body]).toEqual([path, expect.objectContaining(refused)]);
    }
    const copied = await site.graphql(
      admin,
      `mutation { copyChannel(input: { id: ${id}, name: "x" }) { channel { id } } }`,
    );
    expect([copied.codes, copied.text]).toEqual([['CONFLICT'], expect.stringContaining(refused.message)]);
    expect((await call('PUT', '/api/channel/', { id, key: 'sk-new' })).body).toMatchObject({ success: true });
    expect((await call('GET', `/api/channel/${id}`)).body).toMatchObject({ data: { key: 'sk-new' } });
  });

  it.each(['0', '999999', '99999999999'])('is not found as %s', async (id) => {
    expect((await call('GET', `/api/channel/${id}`)).body).toMatchObject({ success: false, code: 'NOT_FOUND' });
  });

  it('has no word in place of its id', async () => {
    expect((await call('GET', '/api/channel/x')).status).toBe(404);
  });

  it('is changed in part: absent, null and unclearable zero values stay', async () => {
    const id = await create({ weight: 7, tag: 't', test_model: 'o1' });
    const kept = { name: '', key: '', models: '', group: '', status: 0, type: 0, other: '', weight: null };
    const answer = await call('PUT', '/api/channel', { id, ...kept, priority: 0, tag: '', test_model: '' });
    expect(answer.body).toMatchObject({
      success: true,
      data: { id, name: 'main', key: '', models: 'gpt-4o,gpt-4o-mini', status: 1, weight: 7, tag: '', test_model: '' },
    });
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject({ key: 'sk-planted-upstream-key' });
  });

  it.each([[{ status: 2 }], [{ priority: 3 }], [{ weight: 4 }], [{ models: 'o1' }], [{ name: 'new' }]])(
    'takes %j alone',
    async (change) => {
      const id = await create();
      expect((await call('PUT', '/api/channel/', { id, ...change })).body).toMatchObject({ data: { id, ...change } });
    },
  );

  it('refuses what it would refuse in a new one, and an unknown id', async () => {
    const id = await create();
    for (const [change, message] of [
      [{ model_mapping: '{' }, 'Model mapping must be valid JSON'],
      [{ type: 41 }, 'Deployment region must not be empty'],
      [{ status: 9 }, 'status must be a whole number from 1 to 3'],
    ] as const) {
      expect((await call('PUT', '/api/channel/', { id, ...change })).body).toMatchObject(failure(message));
    }
    expect((await call('PUT', '/api/channel/', { id: 999_999, name: 'x' })).body).toMatchObject({ code: 'NOT_FOUND' });
    expect((await call('PUT', '/api/channel/', { name: 'x' })).body).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is deleted, also twice, with either form of the address', async () => {
    const id = await create();
    expect((await call('DELETE', `/api/channel/${id}/`)).body).toEqual({ success: true, message: '' });
    expect((await call('DELETE', `/api/channel/${id}`)).body).toEqual({ success: true, message: '' });
  });

  it('leaves no key in the log, whatever is done to it', async () => {
    const id = await create();
    await call('PUT', '/api/channel/', { id, key: 'sk-planted-second' });
    await call('GET', `/api/channel/${id}`);
    await call('DELETE', `/api/channel/${id}`);
    expect(JSON.stringify(await site.query('SELECT * FROM logs'))).not.toContain('planted');
  });
});

describe('many channels', () => {
  it('are deleted by status and by id, counting what is gone', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    await call('PUT', '/api/channel/', { id: a, status: 2 });
    await site.query("UPDATE channels SET status = 'autoDisabled' WHERE id = $1", [b]);
    expect((await call('DELETE', '/api/channel/disabled')).body).toEqual({ success: true, message: '', data: 2 });
    expect((await call('POST', '/api/channel/batch', { ids: [c, 999_999] })).body).toMatchObject({ data: 1 });
    for (const ids of [[], null]) {
      expect((await call('POST', '/api/channel/batch', { ids })).body).toMatchObject(failure('Invalid parameter'));
    }
  });

  it('are tagged, switched and edited by tag', async () => {
    const [a, b] = [await create({ weight: 5 }), await create()];
    expect((await call('POST', '/api/channel/batch/tag', { ids: [a, b], tag: ' t ' })).body).toMatchObject({ data: 2 });
    expect((await call('POST', '/api/channel/tag/disabled', { tag: 't' })).body).toEqual({
      success: true,
      message: '',
    });
    const state = (): Promise<unknown[]> =>
      site.query('SELECT status, tag, weight, priority, models, groups FROM channels ORDER BY id');
    const same = { priority: 0, models: ['gpt-4o', 'gpt-4o-mini'], groups: ['default'] };
    expect(await state()).toEqual([
      { status: 'disabled', tag: 't', weight: 5, ...same },
      { status: 'disabled', tag: 't', weight: 0, ...same },
    ]);
    await site.expectSuccess(admin, 'POST', '/api/channel/tag/enabled', { tag: 't' });
    const edit = { tag: 't', new_tag: 'u', weight: 0, priority: 4, models: 'o1, o1', groups: 'vip', model_mapping: '' };
    expect((await call('PUT', '/api/channel/tag', edit)).body).toEqual({ success: true, message: '' });
    const edited = { status: 'enabled', tag: 'u', weight: 0, priority: 4, models: ['o1'], groups: ['vip'] };
    expect(await state()).toEqual([edited, edited]);
    await site.expectSuccess(admin, 'POST', '/api/channel/batch/tag', { ids: [a], tag: null });
    expect(await state()).toEqual([{ ...edited, tag: '' }, edited]);
  });

  it.each([
    ['POST', '/api/channel/tag/enabled', { tag: '' }, 'Invalid parameter'],
    ['POST', '/api/channel/tag/disabled', {}, 'Invalid parameter'],
    ['PUT', '/api/channel/tag', { priority: 1 }, 'Tag must not be empty'],
    ['POST', '/api/channel/batch/tag', { ids: [], tag: 'x' }, 'Invalid parameter'],
    ['PUT', '/api/channel/tag', { tag: 'x', weight: -1 }, 'weight must be a whole number from 0 to 2147483647'],
  ])('%s %s refuses %j', async (method, path, given, message) => {
    expect((await call(method, path, given)).body).toMatchObject(failure(message));
  });

  it('are repaired by number', async () => {
    const id = await create();
    await create();
    await site.query(`UPDATE channels SET models = '{" a ",a,b}', groups = '{""}' WHERE id = $1`, [id]);
    expect((await call('POST', '/api/channel/fix')).body).toEqual({ success: true, message: '', data: 1 });
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject({ models: 'a,b', group: 'default' });
    expect((await call('POST', '/api/channel/fix')).body).toMatchObject({ data: 0 });
  });

  it('each leave one row of the acting admin in the log', async () => {
    const id = await create({ tag: 't' });
    const before = (await manageRows()).length;
    await call('PUT', '/api/channel/', { id, weight: 1 });
    await call('POST', '/api/channel/tag/disabled', { tag: 't' });
    await call('DELETE', '/api/channel/disabled');
    const added = (await manageRows()).slice(before);
    expect(added).toEqual([
      { content: `Changed channel ${id} (main): weight`, username: admin.username },
      { content: 'Disabled tag "t" (1 channel)', username: admin.username },
      { content: 'Deleted disabled channels: (1 channel)', username: admin.username },
    ]);
  });
});

describe('models', () => {
  it('of the catalogue are listed once, as OpenAI lists them', async () => {
    const { body: answer } = await call('GET', '/api/channel/models');
    const models = answer.data as Array<{ id: string; owned_by: string }>;
    expect(Object.keys(answer).sort()).toEqual(['data', 'success']);
    expect(models[0]).toMatchObject({ id: 'gpt-3.5-turbo', object: 'model', owned_by: 'openai', parent: null });
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    expect(models.find(({ id }) => id === 'mj_imagine')?.owned_by).toBe('midjourney');
  });

  it('by type are open to every user', async () => {
    const { body: answer } = await site.rest(common, 'GET', '/api/models');
    expect(Object.keys(answer).sort()).toEqual(['data', 'success']);
    const data = answer.data as Record<string, string[]>;
    expect([data['1']?.length, data['14']?.length, data['37']]).toEqual([64, 16, []]);
    expect((await site.rest(null, 'GET', '/api/models')).status).toBe(401);
  });

  it('that can be called follow every change at once', async () => {
    const enabled = async (): Promise<unknown> => (await call('GET', '/api/channel/models_enabled')).body.data;
    const own = async (): Promise<unknown> => (await site.rest(common, 'GET', '/api/user/models')).body.data;
    expect(await enabled()).toEqual([]);
    const id = await create({ models: 'b,a' });
    const hidden = await create({ models: 'secret', group: 'svip' });
    expect([await enabled(), await own()]).toEqual([
      ['a', 'b', 'secret'],
      ['a', 'b'],
    ]);
    await call('PUT', '/api/channel/', { id: hidden, status: 2 });
    expect(await enabled()).toEqual(['a', 'b']);
    await create({ models: 'a', model_prefix: 'p/' });
    expect(await own()).toEqual(['p/a', 'b']);
    await call('POST', '/api/channel/batch', { ids: [id] });
    expect(await own()).toEqual(['p/a']);
  });

  it('have the prefixes of the own group, not of other groups', async () => {
    await create({ models: 'a,b', group: 'default,vip' });
    await create({ models: 'a', group: 'default', model_prefix: 'p/' });
    const person = await site.invite(root);
    const own = async (): Promise<unknown> => {
      const { data } = await site.graphql(person, '{ myModels }');
      const { body } = await site.rest(person, 'GET', '/api/user/models');
      expect(data).toEqual({ myModels: body.data });
      return body.data;
    };
    expect(await own()).toEqual(['p/a', 'b']);
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: person.id, group: 'vip' });
    const moved = await site.signIn(person.username, person.password);
    expect((await site.rest(moved, 'GET', '/api/user/models')).body.data).toEqual(['a', 'b']);
  });
});

describe('asking a provider for its models', () => {
  it('uses the stored address and the first key', async () => {
    upstream.script({ path: '/v1/models' }, json({ data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] }));
    const id = await create({ key: 'sk-first,sk-second' });
    expect((await call('GET', `/api/channel/fetch_models/${id}`)).body).toEqual({
      success: true,
      message: '',
      data: ['b', 'a'],
    });
    expect(upstream.requests.map(({ path, key }) => [path, key])).toEqual([['/v1/models', 'sk-first']]);
  });

  it.each([
    [1, '/v1', '/v1/models', { data: [{ id: 'x' }] }],
    [8, '/any/v1/chat/completions', '/any/v1/models', { data: [{ id: 'x' }] }],
    [24, '', '/v1beta/openai/models', { data: [{ id: 'models/x' }] }],
    [4, '', '/api/tags', { models: [{ name: 'x' }] }],
    [14, '', '/v1/models', { data: [{ id: 'x' }] }],
    ...[53, 58, 60, 62, 63].map((type): [number, string, string, object] => [
      type,
      '/v1',
      '/v1/models',
      { data: [{ id: 'x', supported_endpoint_types: ['openai'] }] },
    ]),
  ])('of type %d at %s asks %s', async (type, suffix, path, reply) => {
    upstream.script({}, json(reply));
    const form = { base_url: upstream.url + suffix, type, key: 'sk-form\nsk-other' };
    expect((await call('POST', '/api/channel/fetch_models', form)).body).toEqual({ success: true, data: ['x'] });
    const [asked] = upstream.requests;
    expect(asked?.path).toBe(path);
    expect(type === 14 ? asked?.headers['x-api-key'] : asked?.key).toBe('sk-form');
  });

  it('says what went wrong', async () => {
    const form = { base_url: upstream.url, type: 1, key: 'k' };
    upstream.script({}, unauthorized());
    expect((await call('POST', '/api/channel/fetch_models', form)).body).toMatchObject(failure('status code: 401'));
    upstream.script({}, malformedJson());
    const broken = failure('The response is not a list of models');
    expect((await call('POST', '/api/channel/fetch_models', form)).body).toMatchObject(broken);
    const metadata = { ...form, base_url: 'http://169.254.169.254' };
    const refused = failure('This address cannot be called from here');
    expect((await call('POST', '/api/channel/fetch_models', metadata)).body).toMatchObject(refused);
    expect((await call('POST', '/api/channel/fetch_models', { ...form, type: 9999 })).body).toMatchObject(
      failure('Unknown channel type'),
    );
    expect((await call('GET', '/api/channel/fetch_models/999999')).body).toMatchObject({ code: 'NOT_FOUND' });
    const undecodable = await call('POST', '/api/channel/fetch_models', '[');
    expect([undecodable.status, undecodable.body]).toEqual([400, failure('Invalid request')]);
  });

  it('of a stored channel says what went wrong, too', async () => {
    const path = `/api/channel/fetch_models/${await create()}`;
    upstream.script({}, unauthorized(), malformedJson());
    expect((await call('GET', path)).body).toMatchObject(failure('status code: 401'));
    expect((await call('GET', path)).body).toMatchObject(failure('The response is not a list of models'));
  });

  it('says that nobody listens, not where', async () => {
    const form = { base_url: 'http://127.0.0.1:9', type: 1, key: 'k' };
    const answer = await call('POST', '/api/channel/fetch_models', form);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...failure('The address cannot be reached'), code: 'UPSTREAM_UNREACHABLE' },
    ]);
  });

  it('never sends a stored key to another address', async () => {
    const id = await create({ key: 'sk-stored' });
    const document = 'mutation ($input: FetchModelsInput!) { fetchUpstreamModels(input: $input) { models } }';
    const answer = await site.graphql(admin, document, { input: { id, baseUrl: upstream.url } });
    expect([answer.codes, upstream.requests]).toEqual([['INVALID_INPUT'], []]);
  });
});

describe('testing a channel', () => {
  const stored = async (id: number): Promise<unknown> =>
    (await site.query('SELECT response_time, tested_at FROM channels WHERE id = $1', [id]))[0];

  it('sends a tiny request, keeps the time, and logs what it would cost under the admin (B26), charging nobody', async () => {
    const completion = { choices: [], usage: { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 } };
    upstream.script({ path: '/v1/chat/completions' }, json(completion));
    const id = await create({ models: 'gpt-4o-mini' });
    const answer = await call('GET', `/api/channel/test/${id}`);
    expect(answer.body).toEqual({ success: true, message: '', time: expect.any(Number) as number });
    expect(upstream.requests[0]?.body).toEqual({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
      max_tokens: 10,
    });
    expect(await stored(id)).toMatchObject({ tested_at: expect.any(Date) as Date });
    const [row] = await site.query('SELECT * FROM logs WHERE type = 7 ORDER BY id DESC LIMIT 1');
    expect(row).toMatchObject({
      user_id: admin.id,
      token_name: 'model test',
      content: 'model test',
      model_name: 'gpt-4o-mini',
      channel_id: id,
      quota: '3',
      prompt_tokens: 8,
      completion_tokens: 9,
    });
    const [self] = await site.query<{ used_quota: string }>('SELECT used_quota FROM users WHERE id = $1', [admin.id]);
    expect(self?.used_quota).toBe('0');
    const list = await site.expectSuccess(admin, 'GET', '/api/log/?type=2');
    expect((list.body.data as { items: unknown }).items).toEqual([
      expect.objectContaining({ type: 2, content: 'model test' }),
    ]);
    const ql = `{ logs(filter: { types: [TEST] }) { items { type durationMs } sums { quota } } all: logs { sums { quota } } }`;
    expect((await site.graphql(admin, ql)).data).toEqual({
      logs: { items: [{ type: 'TEST', durationMs: expect.any(Number) as number }], sums: { quota: 0 } },
      all: { sums: { quota: 0 } },
    });
  });

  it('asks for the model of the query, else the test model', async () => {
    upstream.script({}, json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
    const id = await create({ test_model: 'o3-mini' });
    await call('GET', `/api/channel/test/${id}`);
    await call('GET', `/api/channel/test/${id}?model=gemini-2.0-flash`);
    await call('GET', `/api/channel/test/${id}?model=text-embedding-3-small`);
    expect(upstream.requests.map(({ path, body: sent }) => [path, sent?.['model']])).toEqual([
      ['/v1/chat/completions', 'o3-mini'],
      ['/v1/chat/completions', 'gemini-2.0-flash'],
      ['/v1/embeddings', 'text-embedding-3-small'],
    ]);
    expect(upstream.requests[0]?.body).toMatchObject({ max_completion_tokens: 10 });
    expect(upstream.requests[1]?.body).toMatchObject({ max_tokens: 300 });
    expect(upstream.requests[2]?.body).toMatchObject({ input: ['hello world'] });
  });

  it.each([
    ['deepseek-thinking', { max_tokens: 50 }],
    ['gemini-2.0-flash-thinking-exp', { max_tokens: 50 }],
    ['claude-3-7-sonnet-20250219-thinking', {}],
  ])('lets %s think: %j', async (model, limit) => {
    await call('GET', `/api/channel/test/${await create({ models: model })}`);
    const messages = [{ role: 'user', content: 'hi' }];
    expect(upstream.requests.map(({ body: sent }) => sent)).toEqual([{ model, messages, stream: false, ...limit }]);
  });

  it.each([
    [1, 'm3e-base', '/v1/embeddings'],
    [1, 'BAAI/bge-m3', '/v1/embeddings'],
    // A channel of this type has no other field that selects the endpoint. The URL depends on the model's name.
    [44, 'of-any-name', '/chat/'],
  ])('has a channel of type %d embed when its first model is %s', async (type, model, address) => {
    await call('GET', `/api/channel/test/${await create({ type, models: model })}`);
    expect(upstream.requests.map(({ path, body: sent }) => [path, sent])).toEqual([
      [address, { model, input: ['hello world'] }],
    ]);
  });

  it.each([
    ['text-embedding-3-small,dall-e-3,gpt-4o-mini', 1, 'gpt-4o-mini', '/v1/chat/completions'],
    ['tts-1,whisper-1,text-embedding-3-small', 1, 'text-embedding-3-small', '/v1/embeddings'],
    ['gpt-3.5-turbo-instruct', 1, 'gpt-3.5-turbo-instruct', '/v1/completions'],
    ['omni-moderation-latest', 1, 'omni-moderation-latest', '/v1/moderations'],
    ['BAAI/bge-reranker-v2-m3', 1, 'BAAI/bge-reranker-v2-m3', '/v1/rerank'],
    ['jina-reranker-v3,jina-clip-v1', 38, 'jina-clip-v1', '/v1/embeddings'],
  ])('asks a model of %s that fits, with a call that fits it', async (models, type, model, path) => {
    upstream.script({}, json({ results: [], usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 } }));
    const answer = await call('GET', `/api/channel/test/${await create({ type, models })}`);
    expect([answer.body['success'], answer.body['message']]).toEqual([true, '']);
    expect(upstream.requests.map((sent) => [sent.path, sent.model])).toEqual([[path, model]]);
  });

  it('goes by the name of the model at the provider', async () => {
    upstream.script({}, json({ usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 } }));
    const id = await create({ models: 'search', model_mapping: '{"search":"text-embedding-3-small"}' });
    await call('GET', `/api/channel/test/${id}`);
    expect(upstream.requests.map((sent) => [sent.path, sent.model])).toEqual([
      ['/v1/embeddings', 'text-embedding-3-small'],
    ]);
  });

  it('has an image drawn only by a model that the admin names', async () => {
    upstream.script({}, json({ created: 1, data: [{ b64_json: 'aGk=' }] }));
    const id = await create({ models: 'whisper-1,dall-e-3' });
    const { body: unnamed } = await call('GET', `/api/channel/test/${id}`);
    expect([unnamed['success'], unnamed['message'], upstream.requests]).toEqual([
      false,
      expect.stringContaining('dall-e-3 is tested only alone, and where it is named'),
      [],
    ]);
    const { body: named } = await call('GET', `/api/channel/test/${id}?model=dall-e-3`);
    expect([named['success'], upstream.requests.map(({ path }) => path)]).toEqual([true, ['/v1/images/generations']]);
    const { body: none } = await call('GET', `/api/channel/test/${id}?model=whisper-1`);
    expect([none['success'], none['message']]).toEqual([false, 'No test exists for models such as whisper-1']);
  });

  it('tells why it failed, and disables nothing', async () => {
    upstream.script({}, unauthorized());
    const id = await create();
    const answer = await call('GET', `/api/channel/test/${id}`);
    expect(answer.body).toMatchObject({ success: false, time: expect.any(Number) as number });
    expect(answer.body['message']).toMatch(/^status code 401: /);
    expect(JSON.stringify(answer.body)).not.toContain('planted');
    expect((await call('GET', `/api/channel/${id}`)).body.data).toMatchObject({ status: 1 });
  });

  it.each([2, 5, 36])('is not possible for type %d', async (type) => {
    const id = await create({ type });
    expect((await call('GET', `/api/channel/test/${id}`)).body).toEqual({
      success: false,
      message: 'Channels of this type cannot be tested',
      time: 0,
    });
  });
});

describe('whoever is no admin', () => {
  it('is refused everything, whatever he sends', async () => {
    const id = await create();
    const operations: Array<[string, string]> = [
      ...['/', '/search', '/models', '/models_enabled', `/${id}`, `/test/${id}`, `/fetch_models/${id}`].map(
        (path): [string, string] => ['GET', path],
      ),
      ...['/', '/fix', '/batch', '/batch/tag', '/tag/enabled', '/tag/disabled', '/fetch_models'].map(
        (path): [string, string] => ['POST', path],
      ),
      ['PUT', '/'],
      ['PUT', '/tag'],
      ['DELETE', '/disabled'],
      ['DELETE', `/${id}`],
    ];
    for (const [method, path] of operations) {
      const answer = await site.rest(common, method, `/api/channel${path}`, method === 'GET' ? undefined : 'no json');
      expect([method, path, answer.body]).toEqual([
        method,
        path,
        { success: false, message: 'No permission: insufficient privileges', code: 'INSUFFICIENT_PRIVILEGES' },
      ]);
      expect((await site.rest(null, method, `/api/channel${path}`)).status).toBe(401);
    }
    expect(await site.query('SELECT 1 FROM channels')).toHaveLength(1);
  });
});
