/** A provider makes responses in the background, while the client reads them by their ids. */
import { setTimeout as delay } from 'node:timers/promises';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import type { LogRow, RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

const usage = { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 };
const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const response = (status: string, more: Json = {}): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'gpt-4o',
  background: true,
  error: null,
  output: [],
  usage: null,
  ...more,
});
const completed = response('completed', {
  output: [{ ...message, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }],
  usage,
});

const asked = (key: string, more: Json = {}): Promise<Response> =>
  relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', background: true, ...more });

/**
 * Makes a background call that the provider ends with `last`. Returns its log row and the response that the client reads.
 */
async function charged(last: Reply, more: Json = {}): Promise<{ row: LogRow; shown: Json }> {
  await relay.addChannel();
  const { key, userId } = await relay.addToken();
  let ready = false;
  const now: Reply = (out, request) => (ready ? last : json(response('in_progress')))(out, request);
  relay.upstream.script({ path: '/v1/responses/resp_1' }, now);
  relay.upstream.script({ model: 'gpt-4o' }, json(response('queued')));
  const answer = await asked(key, more);
  const shown = (await answer.json()) as Json;
  expect([answer.status, await relay.logs(userId)]).toEqual([200, []]);
  const headers = { authorization: `Bearer ${key}` };
  const read = await fetch(`${relay.url}/v1/responses/resp_1`, { headers });
  expect([read.status, await read.json()]).toEqual([200, response('in_progress')]);
  ready = true;
  const [row] = await relay.logsOf(userId, 1);
  if (!row) throw new Error('no log row');
  return { row, shown };
}

it('are answered at once, and charged what is reported at their end', async () => {
  const { row, shown } = await charged(json(completed));
  expect(shown).toEqual(response('queued'));
  expect(row).toMatchObject({ quota: 3750, prompt_tokens: 1000, completion_tokens: 500, is_stream: false });
  expect(row.other).not.toHaveProperty('counted_locally');
});

// A provider that reads these as true would work unpaid: it responds before there is any output.
it.each([
  { background: 'true' },
  { background: 1 },
  { background: [true] },
  { background: undefined, Background: true },
  { background: undefined, bacKground: true },
])('are asked for in one form alone: %j is refused', async (given) => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  const response = await asked(key, given);
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('background')]);
  expect(relay.upstream.requests).toEqual([]);
});

it('are counted here where their end reports nothing', async () => {
  const { row } = await charged(json({ ...completed, usage: null }));
  expect(row).toMatchObject({ prompt_tokens: 1, completion_tokens: 1, other: { counted_locally: true } });
});

it.each([
  ['failed', { error: { code: 'server_error', message: 'no' } }],
  ['cancelled', {}],
])('that are %s before they have output cost nothing', async (status, more) => {
  const { row } = await charged(json(response(status, more)));
  expect(row).toMatchObject({ quota: 0, prompt_tokens: 0, completion_tokens: 0 });
});

it('whose end cannot be known are charged as they were reserved', async () => {
  const { row } = await charged(json({ error: { message: 'not found' } }, 404), { max_output_tokens: 700 });
  expect(row).toMatchObject({ prompt_tokens: 1, completion_tokens: 700 });
});

it('as a stream are read on to their end when their client leaves', async () => {
  await relay.addChannel();
  const { key, userId } = await relay.addToken();
  const event = (type: string, body: Json): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, response: body })}\n\n`;
  relay.upstream.script({}, async (out) => {
    out.writeHead(200, { 'content-type': 'text/event-stream' });
    out.write(event('response.created', response('queued')));
    // This is longer than the relay reads other streams to their end.
    await delay(1500);
    out.end(event('response.completed', completed));
  });
  const leaving = new AbortController();
  const body = { model: 'gpt-4o', input: 'hi', background: true, stream: true };
  const answer = await relay.post('/v1/responses', key, body, { signal: leaving.signal });
  await answer.body!.getReader().read();
  leaving.abort();
  expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ quota: 3750, other: { client_gone: true } });
});
