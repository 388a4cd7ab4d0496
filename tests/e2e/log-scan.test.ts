import { startServer, type TestServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { resetAfter, unauthorized, malformedJson } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { findLeaks, findUnstructured } from './log-scan.js';

describe('the scanner itself', () => {
  it.each([
    ['plain', '{"msg":"planted-secret-1234"}'],
    ['in JSON in JSON', JSON.stringify({ msg: JSON.stringify({ inside: 'a "planted" secret' }) })],
    ['in base64', `{"msg":"${Buffer.from('planted-secret-1234').toString('base64')}"}`],
    ['by shape', '{"msg":"sk-0123456789abcdefghij"}'],
    ['a bearer header', '{"msg":"authorization: Bearer 0123456789abcdefghij"}'],
    ['a database address', '{"msg":"postgres://me:hunter2@db/x"}'],
  ])('finds a secret %s', (_name, line) => {
    expect(findLeaks([line], { one: 'planted-secret-1234', two: 'a "planted" secret' })).not.toEqual([]);
  });

  it('lets masked ones pass', () => {
    const line = '{"msg":"sk-[redacted] Bearer [redacted] postgres://me:[redacted]@db/x"}';
    expect(findLeaks([line], { one: 'planted-secret-1234' })).toEqual([]);
  });

  it('finds lines that are no log lines', () => {
    expect(findUnstructured(['{"level":"info","time":"t","msg":"m"}', '(node:1) Warning', '{}'])).toHaveLength(2);
  });
});

describe('a whole run at the most talkative level', () => {
  let server: TestServer;
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startServer({ environment: { LOG_LEVEL: 'trace', METRICS_TOKEN: 'planted-metrics-token-77' } });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  it('leaves no secret and no message content in the log', async () => {
    const { api } = server;
    const planted = {
      'the upstream key': 'sk-planted-upstream-key-0123456789',
      'what a person wrote': 'a confidential question about project Nightingale',
      'what the model answered': 'a confidential answer about project Nightingale',
      'a new password': 'planted-Passw0rd-42',
      'a wrong password': 'planted-wr0ng-Password',
      'an unknown key': 'sk-planted-unknown-key-0123456789',
      'the metrics token': 'planted-metrics-token-77',
      'an option secret': 'planted-option-secret-99',
    };
    const root = await api.setUp({ selfUse: true });
    const token = await api.createToken(root);
    await api.createChannel(root, {
      baseUrl: upstream.url,
      key: planted['the upstream key'],
      models: ['gpt-4o', 'broken', 'refused', 'cut'],
    });
    upstream.script({ model: 'gpt-4o' }, chat({ text: planted['what the model answered'] }));
    upstream.script({ model: 'broken' }, malformedJson());
    upstream.script({ model: 'refused' }, unauthorized());
    upstream.script({ model: 'cut' }, resetAfter(2));
    const messages = [{ role: 'user', content: planted['what a person wrote'] }];
    for (const model of ['gpt-4o', 'broken', 'refused', 'cut', 'missing']) {
      for (const stream of [false, true]) {
        const answer = await api.relay(token.key, '/v1/chat/completions', { model, stream, messages });
        await answer.text().catch(() => undefined);
      }
    }
    await (await api.relay(planted['an unknown key'], '/v1/chat/completions', { model: 'gpt-4o', messages })).text();
    await api.rest(null, 'GET', '/metrics', undefined, { authorization: `Bearer ${planted['the metrics token']}` });
    await api.rest(null, 'POST', '/api/user/login', { username: 'root', password: planted['a wrong password'] });
    await api.rest(root, 'PUT', '/api/option/', { key: 'SMTPToken', value: planted['an option secret'] });
    await api.rest(root, 'PUT', '/api/option/', { key: 'ModelRatio', value: `{"x": "${planted['an option secret']}"` });
    const user = { username: 'alice', password: planted['a new password'], display_name: 'Alice' };
    await api.rest(root, 'POST', '/api/user/', user);
    await api.rest(root, 'POST', '/api/user/', user);
    const accessToken = await api.rest(root, 'GET', '/api/user/token');
    await api.graphql(root, 'query($id: Int!) { channelKeys(id: $id) }', { id: 1 });
    await api.graphql(root, 'mutation($u: LoginInput!) { login(input: $u) { user { id } } }', {
      u: { username: 'root', password: planted['a wrong password'] },
    });
    await api.rest(root, 'GET', `/api/log/token?key=${token.key}`);
    await api.rest(root, 'GET', `/nowhere?key=${token.key}&token=${planted['an option secret']}`);

    const more = {
      'the token of a client': token.key.slice(3),
      'the session cookie': root.cookie.split('=')[1] ?? '',
      'the access token': String((accessToken.body as { data?: unknown }).data),
      'the encryption key': 'encryption key of a test',
    };
    for (const value of Object.values(more)) expect(value.length).toBeGreaterThan(15);
    const lines = server.logLines().flatMap((text) => text.split('\n').filter(Boolean));
    expect(lines.length).toBeGreaterThan(10);
    expect(findLeaks(lines, { ...planted, ...more })).toEqual([]);
    expect(findUnstructured(lines)).toEqual([]);
    // Calls are distinguished by their request id.
    const requests = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request');
    expect(requests.length).toBeGreaterThan(5);
    for (const line of requests) expect(line.reqId).toMatch(/^\d{23}[0-9A-Za-z]{8}$/);
  });
});
