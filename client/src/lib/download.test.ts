import { downloadFile } from './download.js';
import { session } from './session.js';

const answer = (status: number) => {
  const refusal = { success: false, message: 'No permission: own usage', code: 'INSUFFICIENT_PRIVILEGES' };
  globalThis.fetch = jest.fn(async () => ({
    ok: false,
    status,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: async () => JSON.stringify(refusal),
  })) as unknown as typeof fetch;
};
const run = () => downloadFile('/api/log/self/export', {}, 'logs.csv', async () => false);

beforeEach(() => {
  session.start({ id: 7, username: 'mira', displayName: '', role: 1, status: 1, group: 'default' });
});
afterAll(() => session.end());

it('ends a session that the server no longer knows, without a message of its own', async () => {
  answer(401);
  await run();
  expect([session.get(), session.hasExpired()]).toEqual([null, true]);
});

it('keeps the session where the server refuses the file', async () => {
  answer(400);
  await expect(run()).rejects.toMatchObject({
    failure: { code: 'INSUFFICIENT_PRIVILEGES', message: 'No permission: own usage', status: null },
  });
  expect(session.get()?.id).toBe(7);
});
