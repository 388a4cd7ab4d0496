import { gql } from '@apollo/client';
import { session } from '../lib/session.js';
import { createApolloClient } from './apollo.js';
import { offline } from './offline.js';

const query = gql`
  query Me {
    me
  }
`;
const user = { id: 7, username: 'mira', displayName: '', role: 1, status: 1, group: 'default' };
const onExpired = jest.fn();
let sent: { headers: Record<string, string> }[] = [];

function answer(status: number, body: unknown): void {
  globalThis.fetch = jest.fn((_url: unknown, init: unknown) => {
    sent.push(init as { headers: Record<string, string> });
    const text = JSON.stringify(body);
    const headers = { get: (name: string) => (name.toLowerCase() === 'content-type' ? 'application/json' : null) };
    return Promise.resolve({
      status,
      ok: status < 300,
      headers,
      text: () => Promise.resolve(text),
    } as unknown as Response);
  });
}
const ask = () => createApolloClient(onExpired).query({ query, fetchPolicy: 'network-only' });

beforeEach(() => {
  sent = [];
  onExpired.mockClear();
  session.start(user);
  offline.set(false);
});

it('sends who is asking with every call, and nothing for strangers', async () => {
  answer(200, { data: { me: 'mira' } });
  await ask();
  expect(sent[0]?.headers).toMatchObject({ 'veloera-user': '7' });
  session.end();
  await ask();
  expect(sent[1]?.headers).not.toHaveProperty('veloera-user');
});

it.each(['NOT_SIGNED_IN', 'USER_ID_MISMATCH', 'USER_BANNED'])(
  'forgets the session on %s and asks to sign in',
  async (code) => {
    answer(200, { data: null, errors: [{ message: 'no', extensions: { code } }] });
    await expect(ask()).rejects.toThrow('no');
    expect(session.get()).toBeNull();
    expect(onExpired).toHaveBeenCalledTimes(1);
  },
);

it('does the same on HTTP 401', async () => {
  answer(401, { errors: [{ message: 'no' }] });
  await expect(ask()).rejects.toThrow();
  expect(onExpired).toHaveBeenCalledTimes(1);
});

it('keeps the session when something else is refused', async () => {
  answer(200, { data: null, errors: [{ message: 'no', extensions: { code: 'INSUFFICIENT_PRIVILEGES' } }] });
  await expect(ask()).rejects.toThrow('no');
  expect(session.get()).toEqual(user);
  expect(onExpired).not.toHaveBeenCalled();
});

it('notices that the server is away, and that it is back', async () => {
  globalThis.fetch = jest.fn(() => Promise.reject(new TypeError('Failed to fetch')));
  await expect(ask()).rejects.toThrow();
  expect(offline.store.get()).toBe(true);
  answer(200, { data: { me: 'mira' } });
  await ask();
  expect(offline.store.get()).toBe(false);
});

it.each([
  ['signs out', null],
  ['signs in another user', { id: 8, username: 'ada', role: 1 }],
] as const)('forgets what it has read when another tab %s', async (_, next) => {
  const client = createApolloClient(onExpired);
  client.writeQuery({ query, data: { me: 'mira' } });
  const store = async (stored: object | null) => {
    localStorage.setItem('user', JSON.stringify(stored));
    dispatchEvent(new StorageEvent('storage', { key: 'user' }));
    await Promise.resolve();
  };
  await store({ ...user, group: 'vip' });
  expect(client.readQuery({ query })).toEqual({ me: 'mira' });
  await store(next);
  expect(client.readQuery({ query })).toBeNull();
});
