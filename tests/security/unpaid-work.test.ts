/** Work that costs its caller nothing is bounded: counts of tokens, and keys that do not exist. */
import { startServer, type LocalServer } from '../support/server.js';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';

describe('counting tokens', () => {
  let relay: RelayHarness;
  beforeAll(async () => {
    relay = await RelayHarness.start();
    await relay.addChannel({ models: 'gpt-4o,claude-sonnet-4-20250514' });
  });
  afterAll(async () => relay.stop());
  const path = '/v1/messages/count_tokens';
  const bodyOf = (text: string) => ({ model: 'gpt-4o', messages: userMessage(text) });

  it.each([
    [
      'random letters',
      () => Array.from({ length: 500_000 }, () => 'abcdefghij'[Math.floor(Math.random() * 10)]).join(''),
    ],
    ['signs', () => '!@#$%^&*('.repeat(60_000)],
    ['letters of all scripts', () => '名前ßöдж'.repeat(40_000)],
  ])('of a large body is an estimate that blocks no other call: %s', async (_name, make) => {
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1000 }) });
    const body = bodyOf(make());
    const used = process.cpuUsage();
    const response = await relay.post(path, key, body);
    const { user, system } = process.cpuUsage(used);
    expect(response.status).toBe(200);
    expect(((await response.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(10_000);
    // Exact counting took 1.5 s of CPU. The client runs in this process too, so its time is included.
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('has a limit of its own, and costs no quota', async () => {
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 1000 }) });
    const statuses: number[] = [];
    for (let round = 0; round < 250; round++) {
      const response = await relay.post(path, key, bodyOf('hi'));
      await response.text();
      statuses.push(response.status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(240);
    expect(statuses.slice(240)).toEqual(Array.from({ length: 10 }, () => 429));
    expect(await relay.balance(userId)).toEqual({ quota: 1000, used: 0, requests: 0 });
  });
});

describe('keys that do not exist', () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startServer();
    await server.api.setUp();
  });
  afterAll(() => server.stop());
  const call = async (key: string): Promise<number> => {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [] }),
    });
    await response.text();
    return response.status;
  };

  it('cost one read for all callers that come together, and are refused', async () => {
    const { dataSource } = server;
    const read = dataSource.query.bind(dataSource);
    let lookups = 0;
    // The read is slow enough that all callers arrive before it ends.
    const reads = jest.spyOn(dataSource, 'query').mockImplementation(async (sql: string, ...rest: unknown[]) => {
      if (sql.includes('key_hash')) {
        lookups += 1;
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
      return read<unknown>(sql, ...(rest as []));
    });
    const statuses = await Promise.all(Array.from({ length: 200 }, () => call('doesnotexist')));
    reads.mockRestore();
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(lookups).toBeGreaterThan(0);
    expect(lookups).toBeLessThan(20);
  });

  it('cost one read each, and others are served meanwhile', async () => {
    const reads = jest.spyOn(server.dataSource, 'query');
    let done = false;
    let served = 0;
    const bystander = (async () => {
      while (!done) {
        const response = await fetch(`${server.url}/api/status`);
        await response.text();
        served += Number(response.status === 200);
      }
    })();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => call(`bad${round}x${index}`)));
    }
    done = true;
    await bystander;
    const lookups = reads.mock.calls.filter(([sql]) => sql.includes('key_hash')).length;
    reads.mockRestore();
    expect(lookups).toBe(1000);
    expect(served).toBeGreaterThan(20);
  });
});
