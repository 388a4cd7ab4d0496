import { startServer, type TestServer } from '../support/server.js';
import type { Person } from '../support/api.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

const planted = 'sk-planted-upstream-key';

let server: TestServer;
let upstream: Upstream;
let root: Person;

beforeAll(async () => {
  [server, upstream] = await Promise.all([startServer(), startUpstream()]);
  root = await server.api.setUp({ selfUse: true });
});
afterAll(() => Promise.all([server.stop(), upstream.stop()]));
beforeEach(() => upstream.reset());

const bodyOf = async (method: string, path: string, body?: unknown): Promise<string> =>
  JSON.stringify((await server.api.rest(root, method, path, body)).body);

/** A provider's error message about a key, which contains the key. */
const blabs = json(
  { error: { message: `Incorrect API key provided: ${planted}`, type: 'invalid_request_error' } },
  401,
);

describe('SSRF by channel base URL', () => {
  const metadata = ['http://169.254.169.254', 'http://[::ffff:169.254.169.254]', 'http://2852039166'];

  it.each(metadata)('%s is never reached by a call, a test, or a look for models', async (baseUrl) => {
    const id = await server.api.createChannel(root, { baseUrl, models: ['gpt-4o'], group: 'default' });
    const refusedTest = await bodyOf('GET', `/api/channel/test/${id}`);
    expect(refusedTest).toContain('"success":false');
    expect(refusedTest).toContain('cannot be called from here');
    expect(await bodyOf('GET', `/api/channel/fetch_models/${id}`)).toContain('cannot be called from here');
    const { key } = await server.api.createToken(root);
    const answer = await server.api.relay(key, '/v1/chat/completions', { model: 'gpt-4o', messages: [] });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await answer.arrayBuffer();
    await server.api.data(root, 'DELETE', `/api/channel/${id}`);
  });

  it('a provider that redirects there is not followed', async () => {
    upstream.script({}, (response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    const form = { base_url: upstream.url, type: 1, key: 'k' };
    expect(await bodyOf('POST', '/api/channel/fetch_models', form)).toContain('cannot be called from here');
  });
});

describe('upstream keys', () => {
  it('stay out of lists, errors, rows and log lines, whatever is done with them', async () => {
    upstream.script({}, blabs);
    const id = await server.api.createChannel(root, { baseUrl: upstream.url, key: planted, models: ['gpt-4o'] });
    const shown = [
      await bodyOf('GET', '/api/channel/'),
      await bodyOf('GET', '/api/channel/search?keyword=channel'),
      await bodyOf('GET', '/api/channel/?tag_mode=true'),
      await bodyOf('PUT', '/api/channel/', { id, key: planted, weight: 1 }),
      await bodyOf('PUT', '/api/channel/', { id, key: planted, model_mapping: planted }),
      await bodyOf('POST', '/api/channel/', { key: planted, setting: planted, name: 'x', models: 'm', group: 'g' }),
      await bodyOf('GET', `/api/channel/test/${id}`),
      await bodyOf('GET', `/api/channel/fetch_models/${id}`),
      JSON.stringify(
        await server.api.graphql(
          root,
          '{ channels { items { name statusReason { reason } setting { more } keys { position status } } } }',
        ),
      ),
      JSON.stringify(
        await server.api.graphql(
          root,
          `mutation { testChannel(input: { id: ${id} }) { ... on ChannelTestFailed { message } } }`,
        ),
      ),
    ];
    const { key } = await server.api.createToken(root);
    const call = await server.api.relay(key, '/v1/chat/completions', { model: 'gpt-4o', messages: [] });
    shown.push(await call.text(), await bodyOf('GET', '/api/log/?page_size=100'), await bodyOf('GET', '/api/log/self'));

    // Each call reached the provider, so the key would be in the texts if it were not masked.
    expect(upstream.requests.filter((request) => request.key === planted).length).toBeGreaterThanOrEqual(3);
    for (const text of shown) expect(text).not.toContain('planted');
    expect(server.logLines().join('\n')).not.toContain('planted');
    expect(await bodyOf('GET', `/api/channel/${id}`)).toContain(planted);
    expect(server.logLines().join('\n')).not.toContain('planted');
  });
});

describe('wildcard search', () => {
  it('finds percent and underscore signs, not everything', async () => {
    for (const path of [
      '/api/channel/search?keyword=%25',
      '/api/channel/search?model=%25%25%25%25',
      '/api/token/search?keyword=_%25_',
      '/api/log/search?keyword=%25',
    ]) {
      expect(await bodyOf('GET', path)).toBe('{"success":true,"message":"","data":[]}');
    }
    // The model filter of the log has the wildcard `*`, which older clients send as `%`. An underscore is not a wildcard.
    for (const model of ['_', '_%25', '%25_%25']) {
      const logs = await server.api.data<{ items: unknown[] }>(root, 'GET', `/api/log/?model_name=${model}`);
      expect([model, logs.items]).toEqual([model, []]);
    }
  });
});
