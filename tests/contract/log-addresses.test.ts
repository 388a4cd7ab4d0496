import { BatchSite, line } from '../support/batch-site.js';
import { RealtimeClients } from '../support/realtime-client.js';
import type { Person } from '../support/api.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { startRealtimeUpstream, turn, type RealtimeUpstream } from '../support/upstream/realtime.js';
import { json } from '../support/upstream/replies.js';

/* Users choose whether log rows of their calls have the address of the client. */

let site: TaskSite;
let provider: RealtimeUpstream;
let clients: RealtimeClients;
let other: Awaited<ReturnType<TaskSite['addCustomer']>>;
const address = '203.0.113.7';

beforeAll(async () => {
  [site, provider] = await Promise.all([TaskSite.open({ TRUSTED_PROXIES: '127.0.0.1' }), startRealtimeUpstream()]);
  clients = new RealtimeClients(site.server.url, 'gpt-realtime');
  const { api } = site.server;
  await api.createChannel(site.root, { baseUrl: provider.url, models: ['gpt-realtime'] });
  await api.createChannel(site.root, { baseUrl: site.upstream.url, models: ['gpt-4o', 'dall-e-3'] });
  await site.setOption('LogErrorEnabled', 'true');
  other = await site.addCustomer('neighbour');
});
afterAll(async () => {
  clients.close();
  await provider.stop();
  await site.close();
});
beforeEach(async () => {
  await site.rows('DELETE FROM logs WHERE token_id <> 0');
  site.script();
});

const headers = (key: string) => ({ authorization: `Bearer ${key}`, 'x-forwarded-for': address });
const setting = (records?: boolean) =>
  site.server.api.data(site.user, 'PUT', '/api/user/setting', {
    notify_type: 'email',
    quota_warning_threshold: 1,
    record_ip_log: records,
  });
const ask = (key = site.key) =>
  site.call(
    'POST',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
    headers(key),
  );
const rows = (count: number) =>
  eventually(
    () => site.rows<{ row: string }>('SELECT l::text AS row FROM logs l WHERE token_id <> 0'),
    (found) => found.length >= count,
  );
interface LogRow {
  readonly ip: string;
  readonly token_id: number;
}
const addressesOf = (listed: readonly LogRow[]) =>
  listed
    .filter(({ token_id }) => token_id !== 0)
    .map(({ ip }) => ip)
    .sort();
const ofRest = async (person: Person, path: string) =>
  addressesOf((await site.server.api.data<{ items: LogRow[] }>(person, 'GET', path)).items);

const drawing = { created: 1, data: [{ url: 'https://images.example/1.png' }] };
/** A charged call, an image, a call that fails, a task and a session. */
async function callEverything(): Promise<void> {
  expect((await ask()).status).toBe(200);
  site.upstream.script({ path: '/v1/chat/completions' }, json({ error: { message: 'down' } }, 400));
  expect((await ask()).status).toBe(400);
  site.script();
  site.upstream.script({ path: '/v1/images/generations' }, json(drawing));
  const image = { model: 'dall-e-3', prompt: 'a lighthouse' };
  expect((await site.call('POST', '/v1/images/generations', image, headers(site.key))).status).toBe(200);
  await site.call('POST', '/suno/submit/LYRICS', { prompt: 'a song' }, headers(site.key));
  const client = await clients.session(site.key, 'gpt-realtime');
  provider.answer = turn({ textIn: 12, textOut: 3, audioIn: 5, audioOut: 4 });
  client.send({ type: 'response.create' });
  await client.until('response.done');
  client.socket.close();
}

it('is stored nowhere in a row at first', async () => {
  await callEverything();
  const found = await rows(5);
  expect(found).toHaveLength(5);
  expect(JSON.stringify(found)).not.toMatch(/203\.0\.113\.7|127\.0\.0\.1/);
  expect(await ofRest(site.user, '/api/log/self')).toEqual(['', '', '', '', '']);
});

it('is in the rows of users who chose it, and of no others', async () => {
  await setting(true);
  await callEverything();
  await ask(other.key);
  await rows(6);
  // The session did not come through the proxy's header.
  const expected = ['127.0.0.1', address, address, address, address];
  expect(await ofRest(site.user, '/api/log/self')).toEqual(expected);
  expect(await ofRest(site.root, '/api/log/')).toEqual(['', ...expected]);
  const { data } = await site.server.api.graphql(site.root, '{ logs { items { ip } } }');
  expect(JSON.stringify(data)).toContain(address);
  // A key may have several holders, who are not the user.
  const held = await site.server.api.data<LogRow[]>(null, 'GET', `/api/log/token?key=${site.key}`);
  expect(addressesOf(held)).toEqual(['', '', '', '', '']);
  expect(JSON.stringify(held)).not.toContain(address);
  await setting();
  expect((await ask()).status).toBe(200);
  expect((await rows(7)).filter(({ row }) => row.includes(address))).toHaveLength(4);
});

it('is the last column of files, and one of those for people', async () => {
  await setting(true);
  await ask();
  await rows(1);
  await setting();
  const cells = async (person: Person, path: string): Promise<string[][]> => {
    const response = await fetch(site.server.url + path, {
      headers: { cookie: person.cookie, 'veloera-user': String(person.id) },
    });
    return (await response.text()).split('\r\n').map((text) => text.split(','));
  };
  for (const [person, path] of [
    [site.root, '/api/log/export'],
    [site.user, '/api/log/self/export'],
  ] as const) {
    const [head, row] = await cells(person, `${path}?model_name=gpt-4o`);
    expect([path, head?.at(-1), row?.at(-1)]).toEqual([path, 'ip', address]);
    for (const [language, name] of [
      ['en', 'Address'],
      ['zh', '地址'],
    ] as const) {
      const [names, first] = await cells(person, `${path}?model_name=gpt-4o&format=people&language=${language}`);
      expect([path, first?.[names?.indexOf(name) ?? -1]]).toEqual([path, address]);
    }
  }
});

it('is in the rows of the keys of an organisation that chose it, whatever its member chose', async () => {
  const acting = async (document: string, organisation?: number) => {
    const chosen: Record<string, string> =
      organisation === undefined ? {} : { 'tollgate-organization': String(organisation) };
    const { body } = await site.server.api.rest(other.user, 'POST', '/graphql', { query: document }, chosen);
    return (body as { data: Partial<Record<string, { organisation?: { id: number }; key?: string }>> }).data;
  };
  const made = await acting('mutation { createOrganisation(input: { name: "recorded" }) { organisation { id } } }');
  const id = made['createOrganisation']?.organisation?.id ?? 0;
  await site.server.api.data(site.root, 'POST', '/api/topup', { user_id: id, quota: 1_000_000 });
  const token = await acting('mutation { createToken(input: { name: "shared" }) { key } }', id);
  const key = token['createToken']?.key ?? '';
  const choose = (records: boolean) =>
    acting(
      `mutation { updateMySetting(input: { recordsAddresses: ${records} }) { setting { recordsAddresses } } }`,
      id,
    );
  expect(JSON.stringify(await choose(true))).toContain('"recordsAddresses":true');
  expect((await ask(key)).status).toBe(200);
  expect((await rows(1)).filter(({ row }) => row.includes(address))).toHaveLength(1);
  await choose(false);
  expect((await ask(key)).status).toBe(200);
  expect((await rows(2)).filter(({ row }) => row.includes(address))).toHaveLength(1);
});

describe('of batches', () => {
  let batches: BatchSite;
  beforeAll(async () => {
    batches = await BatchSite.open();
  });
  afterAll(() => batches.close());

  it.each(['batch', 'line'])('is in rows of each %s, as it was when the batch was made', async (kind) => {
    const { server, user } = batches.site;
    const choose = (records: boolean) =>
      server.api.data(user, 'PUT', '/api/user/setting', {
        notify_type: 'email',
        quota_warning_threshold: 1,
        record_ip_log: records,
      });
    await batches.site.setOption('batches.log_rows', kind);
    const addresses = async (records: boolean): Promise<unknown[]> => {
      await choose(records);
      const made = await batches.create([line('one'), line('two')]);
      await choose(!records);
      batches.provider.batches.end(made.id);
      const { request_id: request } = (await batches.ended(made.id)) ?? {};
      const sql = 'SELECT other FROM logs WHERE request_id = $1 AND type = 2';
      const found = await eventually(
        () => batches.site.rows<{ other: string }>(sql, [request]),
        ({ length }) => length === (kind === 'line' ? 2 : 1),
      );
      return found.map(({ other }) => (JSON.parse(other) as Record<string, unknown>)['ip']);
    };
    const none = kind === 'line' ? [undefined, undefined] : [undefined];
    expect(await addresses(false)).toEqual(none);
    expect(await addresses(true)).toEqual(none.map(() => '127.0.0.1'));
  });
});
