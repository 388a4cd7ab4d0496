import { request } from 'undici';
import { endlessLine, resetAfter, resetBeforeFirstByte, silence } from './faults.js';
import { recordedEvents } from './recordings.js';
import { chat, json, recorded } from './replies.js';
import { startUpstream, type Upstream } from './upstream.js';

describe('the scripted upstream', () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterEach(() => upstream.reset());
  afterAll(() => upstream.stop());

  const call = (body: object, key = 'sk-one') =>
    request(`${upstream.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const eventsOf = async (body: object): Promise<string[]> => {
    const text = await (await call(body)).body.text();
    return text.split('\n\n').flatMap((event) => (event ? [event.replace('data: ', '')] : []));
  };

  it('answers in OpenAI shape where no script says otherwise, and remembers the request', async () => {
    const answer = (await (await call({ model: 'gpt-4o', temperature: 0.5 })).body.json()) as Record<string, unknown>;
    expect(answer).toMatchObject({
      model: 'gpt-4o',
      choices: [{ message: { content: 'Hello from the upstream!' } }],
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    });
    expect(upstream.requests).toMatchObject([
      { path: '/v1/chat/completions', key: 'sk-one', model: 'gpt-4o', body: { temperature: 0.5 }, aborted: false },
    ]);
  });

  it('streams, with usage only when asked for it', async () => {
    const plain = await eventsOf({ model: 'gpt-4o', stream: true });
    const withUsage = await eventsOf({ model: 'gpt-4o', stream: true, stream_options: { include_usage: true } });
    expect(plain.at(-1)).toBe('[DONE]');
    expect(plain.join('')).not.toContain('"usage"');
    expect(withUsage.at(-2)).toContain('"prompt_tokens":12');
  });

  it('replays what a real provider said', async () => {
    upstream.script({ model: 'gpt-4.1-nano' }, recorded('openai/openai-text'));
    const events = await eventsOf({ model: 'gpt-4.1-nano', stream: true });
    expect(events).toEqual([...recordedEvents('openai/openai-text'), '[DONE]']);
  });

  it('follows a script in turn and stays at its end, by model and by key', async () => {
    upstream.script({ model: 'a' }, json({ turn: 1 }, 500), json({ turn: 2 }));
    upstream.script({ model: 'a', key: 'sk-two' }, chat({ text: 'two' }));
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) {
      const { statusCode, body } = await call({ model: 'a' });
      await body.dump();
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([500, 200, 200]);
    const other = await (await call({ model: 'a' }, 'sk-two')).body.text();
    expect(other).toContain('"content":"two"');
  });

  it('breaks as told', async () => {
    upstream.script({ model: 'early' }, resetBeforeFirstByte());
    await expect(call({ model: 'early' })).rejects.toThrow();

    upstream.script({ model: 'late' }, resetAfter(2));
    const late = await call({ model: 'late', stream: true });
    expect(late.statusCode).toBe(200);
    await expect(late.body.text()).rejects.toThrow();
  });

  it.each([
    ['silence', silence()],
    ['an endless line', endlessLine()],
  ])('knows that the caller left %s', async (_, reply) => {
    upstream.script({ model: 'stuck' }, reply);
    const abort = new AbortController();
    const pending = request(`${upstream.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'stuck', stream: true }),
      signal: abort.signal,
    }).then(({ body }) => body.dump({ limit: 10_000_000, signal: abort.signal }));
    pending.catch(() => undefined);
    while (upstream.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    await upstream.requests[0]?.ended;
    expect(upstream.requests[0]?.aborted).toBe(true);
  });
});
