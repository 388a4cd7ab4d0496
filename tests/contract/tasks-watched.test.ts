/** Guardrails, captures and spans apply to task submissions. */
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { eventually, TaskSite } from '../support/task-site.js';

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

let site: TaskSite;
let collector: ScriptedServer;

beforeAll(async () => {
  collector = await startScriptedServer(() => ({ body: {} }));
  site = await TaskSite.open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRICS_EXPORTER: 'none',
  });
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
  await collector.stop();
});
beforeEach(async () => {
  site.script();
  collector.calls.length = 0;
  await site.setOption('guardrails.rules', '[]');
  await site.setOption('content_capture.rules', '[]');
});

const music = (body: unknown, headers: Record<string, string> = {}) =>
  site.call('POST', '/suno/submit/music', body, { authorization: `Bearer ${site.key}`, ...headers });
const imagine = (body: unknown) => site.call('POST', '/mj/submit/imagine', body);
const submitted = () => site.upstream.requests.findLast(({ path }) => path.includes('/submit/'));
const rules = (...list: object[]) => site.setOption('guardrails.rules', JSON.stringify(list));
const personal = { name: 'personal', stage: 'input', action: 'mask', check: 'patterns', patterns: ['email', 'card'] };
const fruit = { name: 'fruit', stage: 'both', action: 'block', check: 'words', words: ['pineapple'] };
const adminInfo = async (): Promise<Record<string, unknown> | undefined> =>
  ((await site.chargedRows(1))[0]?.other as Record<string, unknown>)['admin_info'] as Record<string, unknown>;
const spans = (): Span[] =>
  collector.calls.flatMap(({ body }) =>
    (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
      ({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans),
    ),
  );
const attributesOf = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('guardrails', () => {
  it('mask the texts of a submission before the provider, the task list and the log get it', async () => {
    await rules(personal);
    const submission = {
      prompt: 'sing of ann@mail.example',
      title: 'card 4111 1111 1111 1111',
      tags: 'pop',
      mv: 'chirp-v9',
    };
    expect((await music(submission)).body.code).toBe('success');
    expect(submitted()?.body).toMatchObject({
      prompt: 'sing of [email]',
      title: 'card [card]',
      tags: 'pop',
      mv: 'chirp-v9',
    });
    const note = { rule: 'personal', stage: 'input', action: 'mask', matched: ['email', 'card'] };
    expect((await adminInfo())?.['guardrails']).toEqual([note]);
    const image = 'data:image/png;base64,ann@mail.example';
    expect((await imagine({ prompt: 'draw ann@mail.example', base64Array: [image] })).body.code).toBe(1);
    // Guardrails do not search images.
    expect(submitted()?.body).toMatchObject({ prompt: 'draw [email]', base64Array: [image] });
    const [row] = await site.rows<{ prompt: string }>('SELECT prompt FROM midjourneys ORDER BY id DESC LIMIT 1');
    expect(row?.prompt).toBe('draw [email]');
  });

  it.each([
    ['music', () => music({ prompt: 'a pineapple' })],
    ['a drawing', () => imagine({ prompt: 'a pineapple' })],
  ])('block a submission of %s: nothing is sent or charged, the log names the rule', async (_name, submit) => {
    await rules(fruit);
    const before = await site.balances();
    await site.rows('DELETE FROM logs WHERE type = 6');
    const { status, body } = await submit();
    expect([status, (body.error as Record<string, unknown>)['code']]).toEqual([400, 'guardrail_blocked']);
    expect(submitted()).toBeUndefined();
    expect(await site.balances()).toEqual(before);
    const rows = await eventually(
      () => site.rows<{ other: string }>('SELECT other FROM logs WHERE type = 6 ORDER BY id DESC LIMIT 1'),
      (found) => found.length > 0,
    );
    expect(JSON.parse(rows[0]?.other ?? '{}')).toMatchObject({
      error_code: 'guardrail_blocked',
      admin_info: { guardrails: [{ rule: 'fruit', stage: 'input', action: 'block', matched: ['pineapple'] }] },
    });
  });

  it('of other callers change nothing', async () => {
    await rules({ ...fruit, groups: ['vip'] });
    expect((await music({ prompt: 'a pineapple' })).body.code).toBe('success');
    expect((await adminInfo())?.['guardrails']).toBeUndefined();
  });
});

it('a submission of a chosen caller is captured, redacted and without images', async () => {
  await site.setOption('content_capture.rules', JSON.stringify([{ tokens: [site.tokenId], redact: ['email'] }]));
  const { body } = await imagine({ prompt: 'draw ann@mail.example', base64Array: ['data:image/png;base64,AAAA'] });
  expect(body.code).toBe(1);
  expect((await adminInfo())?.['captured']).toBe(true);
  const [row] = await eventually(
    () => site.rows<Record<string, string>>('SELECT request, response, model_name FROM captured_contents'),
    (found) => found.length > 0,
  );
  expect(JSON.parse(row?.['request'] ?? '')).toEqual({ prompt: 'draw [email]', base64Array: '[media]' });
  expect(JSON.parse(row?.['response'] ?? '')).toMatchObject({ code: 1 });
  expect(row?.['model_name']).toBe('mj_imagine');
});

it('a submission is a span of the client’s trace with a child for the provider, which continues it', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  expect((await music({ prompt: 'a secret song' }, { traceparent })).body.code).toBe('success');
  const found = await eventually(
    () => Promise.resolve(spans().filter((span) => span.traceId === traceId)),
    (list) => list.length >= 2,
  );
  const submission = found.find(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7');
  const attempt = found.find(({ parentSpanId }) => parentSpanId === submission?.spanId);
  expect([submission?.name, submission?.traceId]).toEqual(['music suno_music', traceId]);
  expect(attributesOf(submission!)).toMatchObject({
    'gen_ai.operation.name': 'music',
    'gen_ai.request.model': 'suno_music',
    'url.path': '/suno/submit/music',
    'tollgate.quota': '50000',
    'tollgate.outcome': 'ok',
    'http.response.status_code': '200',
  });
  expect(attributesOf(attempt!)).toMatchObject({ 'tollgate.channel.id': String(site.musicChannel) });
  expect(submitted()?.headers['traceparent']).toBe(`00-${traceId}-${attempt?.spanId}-01`);
  expect(JSON.stringify(found)).not.toContain('secret song');
});

it('a refused submission has a span with its error', async () => {
  const traceId = '5bf92f3577b34da6a3ce929d0e0e4736';
  await music({ prompt: 'x', continue_clip_id: 'y' }, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const [submission] = await eventually(
    () => Promise.resolve(spans().filter((span) => span.traceId === traceId)),
    (list) => list.length >= 1,
  );
  expect(attributesOf(submission!)).toMatchObject({
    'error.type': 'invalid_request',
    'http.response.status_code': '400',
    'tollgate.outcome': 'client_error',
  });
});
