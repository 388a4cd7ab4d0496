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
  await api.createChannel(site.root, { baseUrl: site.upstream.url, models: ['gpt-4o'] });
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

/** A charged call, one that fails, a task and a session. */
async function callEverything(): Promise<void> {
  expect((await ask()).status).toBe(200);
  site.upstream.script({ path: '/v1/chat/completions' }, json({ error: { message: 'down' } }, 400));
  expect((await ask()).status).toBe(400);
  site.script();
  await site.call('POST', '/suno/submit/LYRICS', { prompt: 'a song' }, headers(site.key));
  const client = await clients.session(site.key, 'gpt-realtime');
  provider.answer = turn({ textIn: 12, textOut: 3, audioIn: 5, audioOut: 4 });
  client.send({ type: 'response.create' });
  await client.until('response.done');
  client.socket.close();
}

it('is stored nowhere in a row at first', async () => {
  await callEverything();
  const found = await rows(4);
  expect(found).toHaveLength(4);
  expect(JSON.stringify(found)).not.toMatch(/203\.0\.113\.7|127\.0\.0\.1/);
  expect(await ofRest(site.user, '/api/log/self')).toEqual(['', '', '', '']);
});

it('is in the rows of users who chose it, and of no others', async () => {
  await setting(true);
  await callEverything();
  await ask(other.key);
  await rows(5);
  // The session did not come through the proxy's header.
  const expected = ['127.0.0.1', address, address, address];
  expect(await ofRest(site.user, '/api/log/self')).toEqual(expected);
  expect(await ofRest(site.root, '/api/log/')).toEqual(['', ...expected]);
  const { data } = await site.server.api.graphql(site.root, '{ logs { items { ip } } }');
  expect(JSON.stringify(data)).toContain(address);
  // A key may have several holders, who are not the user.
  const held = await site.server.api.data<LogRow[]>(null, 'GET', `/api/log/token?key=${site.key}`);
  expect(addressesOf(held)).toEqual(['', '', '', '']);
  expect(JSON.stringify(held)).not.toContain(address);
  await setting();
  expect((await ask()).status).toBe(200);
  expect((await rows(6)).filter(({ row }) => row.includes(address))).toHaveLength(3);
});
