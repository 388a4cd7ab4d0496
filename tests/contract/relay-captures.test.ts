/** Prompts and responses in a table of their own (docs/reference/relay/captures.md). */
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { CaptureRetention } from '../../server/src/console/captures/capture.jobs.js';
import { CaptureService } from '../../server/src/console/captures/capture.service.js';
import { defaultOptionValues, type OptionValues } from '../../server/src/options/option-registry.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import { until } from '../faults/traffic.js';
import { chat } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

type Rule = OptionValues['content_capture.rules'][number];

let relay: RelayHarness;
const values = { ModelPrice: { 'gpt-4o': 0.1 } };
relaySuite((started) => (relay = started), { values });
beforeEach(async () => {
  await relay.sql('DELETE FROM captured_contents');
  await relay.addChannel();
});

const everything: Rule = { groups: ['default'], percent: 100, redact: ['email', 'card', 'key', 'phone', 'id_number'] };
const capture = (...list: Rule[]): void => relay.setOptions({ ...values, 'content_capture.rules': list });

interface Row {
  readonly request_id: string;
  readonly request: string;
  readonly response: string;
  readonly is_cut: boolean;
  readonly user_id: number;
  readonly token_id: number;
  readonly model_name: string;
  readonly group: string;
}
const rows = (): Promise<Row[]> => relay.sql<Row>('SELECT * FROM captured_contents ORDER BY created_at');
async function captured(count: number): Promise<Row[]> {
  await until(async () => (await rows()).length >= count, 10, 'the content is stored');
  return rows();
}

async function ask(given: object = {}, token?: { key: string; id: number; userId: number }) {
  const own = token ?? (await relay.addToken());
  const response = await relay.chat(own.key, {
    model: 'gpt-4o',
    messages: userMessage('I am ann@mail.example'),
    ...given,
  });
  expect(response.status).toBe(200);
  return { ...own, text: await response.text() };
}

it.each([false, true])('stores the redacted prompt and response of chosen callers (stream: %s)', async (stream) => {
  capture({ ...everything, redact_words: ['pineapple'] });
  relay.upstream.script({}, chat({ text: ['Pay with 4111 1111', ' 1111 1111, pine', 'apple'] }));
  const { userId, id, text } = await ask({ stream });
  // The client's own call is not changed.
  expect(text).toContain('4111 1111');
  const [row] = await captured(1);
  expect(row).toMatchObject({ user_id: userId, token_id: id, model_name: 'gpt-4o', group: 'default', is_cut: false });
  expect(JSON.parse(row?.request ?? '')).toEqual({ model: 'gpt-4o', messages: userMessage('I am [email]'), stream });
  expect(row?.response).toBe('Pay with [card], [removed]');
  // The log row only has the mark of the capture.
  const [log] = await relay.logsOf(userId, 1);
  expect(log?.request_id).toBe(row?.request_id);
  expect(log?.other['admin_info']).toMatchObject({ captured: true });
  expect(JSON.stringify(log)).not.toMatch(/ann@|\[email\]|Pay with/);
});

it('stores nothing without a rule, outside of its groups and tokens, and of no call at 0 percent', async () => {
  const { id } = await ask();
  capture({ ...everything, groups: ['other'] });
  await ask();
  capture({ ...everything, groups: undefined, tokens: [id] });
  await ask();
  capture({ ...everything, percent: 0 });
  const last = await ask();
  expect((await relay.logsOf(last.userId, 1))[0]?.other['admin_info']).not.toHaveProperty('captured');
  const token = await relay.addToken();
  capture({ ...everything, groups: undefined, tokens: [token.id] });
  await ask({}, token);
  expect((await captured(1)).map((row) => row.token_id)).toEqual([token.id]);
});

it('samples: about the given share of the calls', async () => {
  capture({ ...everything, percent: 50 });
  const token = await relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });
  for (let call = 0; call < 60; call++) await ask({}, token);
  await captured(1);
  await until(async () => (await relay.logsOf(token.userId, 60)).length === 60, 10, 'all rows are written');
  const marked = (await relay.logsOf(token.userId, 60)).filter(
    ({ other }) => (other['admin_info'] as Record<string, unknown>)['captured'] === true,
  );
  // The number is outside of these bounds in less than one of a million runs.
  expect(marked.length).toBeGreaterThan(10);
  expect(marked.length).toBeLessThan(50);
  expect((await captured(marked.length)).map((row) => row.request_id).sort()).toEqual(
    marked.map((row) => row.request_id).sort(),
  );
});

it('leaves media out and cuts long texts', async () => {
  capture(everything);
  const url = `data:image/png;base64,${'A'.repeat(1000)}`;
  const content = [
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url } },
  ];
  await ask({ messages: [{ role: 'user', content }] });
  const [row] = await captured(1);
  expect(row?.request).toContain('look');
  expect(row?.request).not.toContain('AAAA');
  await ask({ messages: userMessage('x'.repeat(100_000)) });
  const cut = (await captured(2)).find(({ is_cut: isCut }) => isCut);
  expect(cut?.request).toHaveLength(64 * 1024);
});

it('is read by root only', async () => {
  capture(everything);
  await ask();
  const [row] = await captured(1);
  const service = new CaptureService({ query: (text: string, given?: unknown[]) => relay.sql(text, given) as never });
  const actor = (role: string) => ({ id: 1, username: 'a', role, group: 'default', status: 'enabled' }) as never;
  expect(await service.read(actor('root'), row?.request_id ?? '')).toMatchObject({
    response: row?.response,
    isCut: false,
  });
  expect(await service.read(actor('root'), 'unknown')).toBeNull();
  for (const role of ['common', 'admin']) {
    await expect(service.read(actor(role), row?.request_id ?? '')).rejects.toMatchObject({
      code: 'INSUFFICIENT_PRIVILEGES',
    });
  }
});

it('is deleted after its retention', async () => {
  const now = Date.parse('2026-11-22T00:00:00Z');
  const day = 86_400;
  for (const [id, age] of [
    ['old', 8 * day],
    ['fresh', 6 * day],
  ] as const) {
    await relay.sql(
      `INSERT INTO captured_contents (request_id, created_at, user_id, token_id, "group", model_name, request, response, is_cut)
       VALUES ($1, $2, 1, 1, '', '', '{}', '', false)`,
      [id, new Date(now - age * 1000)],
    );
  }
  expect(await retentionAt(now).drop()).toBe(1);
  expect((await rows()).map((row) => row.request_id)).toEqual(['fresh']);
});

it('keeps what is fresh by the clock of the database, however far the clock of the node is ahead', async () => {
  await relay.sql(
    `INSERT INTO captured_contents (request_id, created_at, user_id, token_id, "group", model_name, request, response, is_cut)
     VALUES ('fresh', now(), 1, 1, '', '', '{}', '', false)`,
  );
  expect(await retentionAt(Date.now() + 365 * 86_400_000).drop()).toBe(0);
});

const retentionAt = (now: number): CaptureRetention =>
  new CaptureRetention({
    database: { query: (text: string, given?: unknown[]) => relay.sql(text, given) as never },
    options: { values: { ...defaultOptionValues(), 'content_capture.retention_days': 7 } },
    state: new MemoryState(),
    nodeId: 'one',
    clock: { now: () => now },
    logger: createLogger('silent'),
  });
