/** No provider reports the calls of tools that it runs in a realtime session, so they cannot be charged. */
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { TaskSite } from '../support/task-site.js';
import { startRealtimeUpstream, type RealtimeEvent, type RealtimeUpstream } from '../support/upstream/realtime.js';
import { SpeakingModel } from '../support/upstream/speaking-model.js';

const model = 'gpt-4o-realtime-preview';
let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
});
beforeEach(() => {
  new SpeakingModel(upstream);
});
afterEach(() => clients.close());
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

const errorsOf = (client: RealtimeClient): unknown[] => client.events.filter(({ type }) => type === 'error');

describe('a tool that the provider runs', () => {
  const search = { type: 'session.update', session: { type: 'realtime', tools: [{ type: 'web_search' }] } };
  const own = { type: 'function', name: 'f', parameters: { type: 'object' } };
  const remote = { type: 'mcp', server_label: 'x', server_url: 'https://x.example' };
  const sent = (): RealtimeEvent[] => upstream.sessions.at(-1)?.events ?? [];
  afterEach(async () => {
    await site.setOption('ToolPrices', '{}');
    await site.setOption('UnpricedTools', 'refuse');
  });

  it.each([
    ['a session', search],
    ['a response', { type: 'response.create', response: { tools: [own, { type: 'web_search' }] } }],
  ])('is refused by its name in %s, which goes on', async (_name, event) => {
    const client = await clients.session(site.key);
    client.send(event);
    await client.until('error');
    const message = expect.stringContaining('web_search') as string;
    expect(errorsOf(client)).toMatchObject([{ error: { code: 'tool_not_priced', message } }]);
    client.send({ type: 'session.update', session: { type: 'realtime', tools: [own, remote] } });
    client.send({ type: 'response.create' });
    await client.until('response.done');
    expect(JSON.stringify(sent())).not.toContain('web_search');
    expect(JSON.stringify(sent())).toContain('mcp');
  });

  it('may be absent as null', async () => {
    const client = await clients.session(site.key);
    client.send({ type: 'session.update', session: { type: 'realtime', tools: null } });
    client.send({ type: 'response.create', response: { tools: null } });
    await client.until('response.done');
    expect(errorsOf(client)).toEqual([]);
  });

  it.each([
    ['an object', { type: 'web_search' }],
    ['a nested list', [[{ type: 'web_search' }]]],
    ['a type in a list', [{ type: ['web_search'], name: 'f' }]],
  ])('is refused as %s', async (_name, tools) => {
    const client = await clients.session(site.key);
    client.send({ type: 'session.update', session: { type: 'realtime', tools } });
    client.send({ type: 'response.create', response: { tools } });
    await client.until('error', 2);
    expect(JSON.stringify(sent())).not.toContain('web_search');
  });

  it.each([
    ['ToolPrices', JSON.stringify({ 'gpt-*': { webSearch: 0 } })],
    ['UnpricedTools', 'free'],
  ])('passes where the site gives it away by %s', async (option, value) => {
    await site.setOption(option, value);
    const client = await clients.session(site.key);
    client.send(search);
    client.send({ type: 'response.create' });
    await client.until('response.done');
    expect(errorsOf(client)).toEqual([]);
    expect(JSON.stringify(sent())).toContain('web_search');
  });
});
