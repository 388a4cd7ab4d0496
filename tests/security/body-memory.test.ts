/**
 * While 20 calls send 63 MB each, the memory of the server is bounded, other users are served, and the refused calls cost
 * nothing. Nor do calls that end before their body.
 */
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Auditor, openSite, until } from '../faults/traffic.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';

const megabyte = 1024 * 1024;
const calls = 20;
const senders = Array.from({ length: 10 }, (_, index) => `sender-${index}`);
const initial = 500_000_000;

/** Reads whole bodies without storing them. It responds to a large body only when it is released. */
class PatientProvider {
  readonly held: Array<() => void> = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((incoming, response) => {
      let length = 0;
      incoming.on('data', (piece: Buffer) => (length += piece.length));
      incoming.on('end', () => {
        const respond = (): void => void response.end(JSON.stringify(completion));
        if (length > megabyte) this.held.push(respond);
        else respond();
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  release(): void {
    for (const respond of this.held.splice(0)) respond();
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 },
};

let provider: PatientProvider;
let server: SpawnedServer;
let auditor: Auditor;
let keys: string[];
beforeAll(async () => {
  provider = new PatientProvider();
  const url = await provider.start();
  server = await spawnServer();
  auditor = new Auditor(server.database);
  const users = [...senders, 'bystander'].map((username) => ({ username, quota: initial }));
  ({ keys } = await openSite(server.api, url, users));
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  provider.stop();
});

interface Answer {
  readonly status: number;
  readonly code: string;
}

/** @returns the response; status 0 if the connection was reset during the upload */
function post(key: string, body: Buffer, isChunked = false): Promise<Answer> {
  return new Promise((resolve) => {
    const call = request(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) }),
      },
    });
    call.on('error', () => resolve({ status: 0, code: '' }));
    call.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('close', () => {
        const { error } = JSON.parse(text || '{}') as { error?: { code: string } };
        resolve({ status: response.statusCode ?? 0, code: error?.code ?? '' });
      });
    });
    call.end(body);
  });
}

const bodyOf = (content: string): Buffer =>
  Buffer.from(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }));

/** The most memory that the process has had so far. Megabytes. */
const peak = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;

const usedBySenders = async (): Promise<number> => {
  let sum = 0;
  for (const name of senders) sum += (await auditor.quotaOf(name)).used;
  return sum;
};

const shapes = [
  ['of one user', 1, false, 'a'],
  ['of ten users, in chunks', 10, true, 'a'],
  ['of ten users, in Chinese', 10, false, '中'],
  ['of ten users, with escapes', 10, false, 'line of text\n'],
] as const;

it.each(shapes)(
  '%s: below 1 GB, others are served, and refused calls cost nothing',
  async (_name, users, chunked, text) => {
    const body = bodyOf(text.repeat((63 * megabyte) / (Buffer.byteLength(JSON.stringify(text)) - 2)));
    const before = await usedBySenders();
    const answers: Answer[] = [];
    const sent = Array.from({ length: calls }, async (_, index) => {
      answers.push(await post(keys[index % users] ?? '', body, chunked));
    });
    await until(
      () => Promise.resolve(answers.length + provider.held.length === calls),
      100,
      'each call is held or refused',
    );
    expect(provider.held.length).toBeGreaterThan(0);
    expect(await post(keys.at(-1) ?? '', bodyOf('hi'))).toEqual({ status: 200, code: '' });
    provider.release();
    await Promise.all(sent);
    expect(peak()).toBeLessThan(1000);

    const served = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    const refusals = ['429 rate_limit_exceeded', '503 service_unavailable', '0 '];
    expect(refused.filter(({ status, code }) => !refusals.includes(`${status} ${code}`))).toEqual([]);
    await until(async () => (await auditor.openReservations()) === 0, 30, 'nothing is held');
    // (1000 + 4 * 10) * 1.25 each
    expect((await usedBySenders()) - before).toBe(served.length * 1300);
    expect(await auditor.drifts()).toEqual([]);
  },
  240_000,
);

it.each([
  ['in chunks', { 'transfer-encoding': 'chunked' }],
  ['of a known length', { 'content-length': String(2 * megabyte) }],
])('a client that leaves in the middle of an upload %s is nobody else’s concern', async (_name, headers) => {
  const before = await usedBySenders();
  const left = await Promise.all(
    senders.map(
      (_, index) =>
        new Promise<string>((resolve) => {
          const call = request(`${server.url}/v1/chat/completions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${keys[index]}`, 'content-type': 'application/json', ...headers },
          });
          call.on('error', () => resolve('left'));
          call.on('response', () => resolve('answered'));
          call.write(Buffer.alloc(megabyte, ' '), () => setTimeout(() => call.destroy(), 200));
        }),
    ),
  );
  expect(left).toEqual(senders.map(() => 'left'));
  expect(await post(keys.at(-1) ?? '', bodyOf('hi'))).toEqual({ status: 200, code: '' });
  await until(async () => (await auditor.openReservations()) === 0, 30, 'nothing is held');
  expect((await usedBySenders()) - before).toBe(0);
});
