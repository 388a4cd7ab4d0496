import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Load } from './load.js';

const seen: string[] = [];
const latency = 100;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push(body);
      setTimeout(() => response.end('{}'), latency);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
});

describe('Load', () => {
  it('writes the prefix of the model into the body of each call', async () => {
    const bodyOf = (call: number): string => JSON.stringify({ model: 'gpt-4o', call });
    const calls = { own: { path: '/', body: bodyOf(0), bodyOf, ends: null } };
    const load = new Load({ name: 'peer', url, key: 'none', modelPrefix: 'openai/', calls }, 1);
    await load.full('own', 1, 2);
    await load.close();
    expect(seen.map((body) => JSON.parse(body))).toEqual([
      { model: 'openai/gpt-4o', call: 0 },
      { model: 'openai/gpt-4o', call: 1 },
    ]);
  });

  it('notes when each call was answered', async () => {
    const load = new Load({ name: 'peer', url, key: 'none' }, 4);
    const { answeredAt } = await load.full('json', 1, 3);
    await load.close();
    expect(answeredAt).toHaveLength(3);
    expect(answeredAt).toEqual(answeredAt.toSorted((a, b) => a - b));
    expect(answeredAt[0]).toBeGreaterThanOrEqual(latency - 1);
  });
});
