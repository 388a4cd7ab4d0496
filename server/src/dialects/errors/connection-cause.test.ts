import { createServer, type AddressInfo } from 'node:net';
import { request } from 'undici';
import { withConnectionCause } from './connection-cause.js';

const unreachable = (cause: unknown) => new Error('Request to the upstream address failed', { cause });

async function failureOf(url: string): Promise<Error> {
  try {
    await request(url);
  } catch (error) {
    return unreachable(error);
  }
  throw new Error(`${url} responded`);
}

it('says that a connection was refused', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(withConnectionCause(await failureOf(`http://127.0.0.1:${String(port)}`))).toBe(
    'Request to the upstream address failed: the connection was refused',
  );
});

it('says that a connection was closed', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const failure = await failureOf(`http://127.0.0.1:${String(port)}`);
  await new Promise((resolve) => server.close(resolve));
  expect(withConnectionCause(failure)).toBe('Request to the upstream address failed: the connection was closed');
});

it('takes the reason of the first of several addresses', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:9'), { code: 'ECONNREFUSED' });
  expect(withConnectionCause(unreachable(new AggregateError([refused, refused])))).toBe(
    'Request to the upstream address failed: the connection was refused',
  );
});

it.each([
  ['an error without a code', new Error('wrong version number'), ': wrong version number'],
  ['no error', 'closed', ''],
  ['nothing', undefined, ''],
])('keeps the words of %s', (_, cause, words) => {
  expect(withConnectionCause(unreachable(cause))).toBe(`Request to the upstream address failed${words}`);
});
