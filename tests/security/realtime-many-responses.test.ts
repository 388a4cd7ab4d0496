/** Many responses at once: what they cost the server is bounded. */
import { eventually } from '../support/task-site.js';
import { errorsOf, RealtimeSite, untilEnded, usd } from '../support/realtime-site.js';
import { send } from '../support/upstream/realtime.js';

let site: RealtimeSite;

beforeAll(async () => {
  site = await RealtimeSite.open();
});
afterAll(() => site.close());

it('a session has 100 responses at once, and more as soon as some have ended', async () => {
  const ids: string[] = [];
  site.upstream.answer = ({ socket }) => {
    const id = `resp_${ids.push('')}`;
    ids[ids.length - 1] = id;
    send(socket, { type: 'response.created', response: { id, status: 'in_progress' } });
    send(socket, { type: 'response.output_text.delta', response_id: id, delta: 'a word' });
  };
  const user = await site.payer(usd);
  const client = await site.clients.session(user.key);
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }];
  const create = { type: 'response.create', response: { conversation: 'none', max_output_tokens: 1, input } };
  for (let index = 0; index < 110; index++) client.send({ ...create, event_id: `mine-${index}` });
  await untilEnded(client, 10);
  expect(ids).toHaveLength(100);
  expect(errorsOf(client)).toEqual(
    Array.from({ length: 10 }, (_, index) =>
      expect.objectContaining({
        error: expect.objectContaining({ code: 'rate_limit_exceeded', event_id: `mine-${100 + index}` }) as object,
      }),
    ),
  );
  await eventually(
    async () => (await site.site.rows('SELECT 1 FROM reservations WHERE due IS NOT NULL')).length,
    (written) => written === 100,
    20,
  );
  const [session] = site.upstream.sessions;
  for (const id of ids.slice(0, 5)) {
    const usage = { total_tokens: 3, input_tokens: 2, output_tokens: 1 };
    send(session!.socket, { type: 'response.done', response: { id, status: 'completed', usage } });
  }
  await client.until('response.done', 5);
  for (let index = 0; index < 5; index++) client.send(create);
  await eventually(
    () => Promise.resolve(ids.length),
    (all) => all === 105,
    20,
  );
  expect(errorsOf(client)).toHaveLength(10);
  site.upstream.sessions[0]?.socket.close();
  await site.expectOrder();
}, 60_000);
