/**
 * A client leaves a realtime session after every number of event loop iterations. Its slot is free for the next session at
 * once.
 */
import { LeaveSite } from '../support/leave-site.js';
import { send, turn } from '../support/upstream/realtime.js';

const model = 'gpt-4o-realtime-preview';
let site: LeaveSite;

beforeAll(async () => {
  site = await LeaveSite.start(model, (upstream) => {
    upstream.answer = turn({ textIn: 10, textOut: 20, audioIn: 0, audioOut: 0 });
  });
});
afterAll(() => site.stop());

it('at every moment', async () => {
  const phases = await site.leaveAtEveryMoment(`model=${model}`, (socket, type) => {
    if (type === 'session.created') send(socket, { type: 'response.create' });
    if (type === 'response.done') socket.terminate();
  });
  // Some clients left before the session was open, and one received its whole response.
  expect(phases).toEqual(expect.arrayContaining([undefined, 'response.done']));
  await site.expectNothingHeld();
  const { rows } = await site.pool.query<{ rows: string; requests: string }>(
    'SELECT count(*) AS rows, count(DISTINCT request_id) AS requests FROM logs WHERE type = 2',
  );
  expect(Number(rows[0]?.requests)).toBeGreaterThan(0);
  expect(rows[0]?.rows).toBe(rows[0]?.requests);
}, 300_000);
