/** Coding agents compact conversations by the provider, or by a summary of the same model. */
import type { OptionValues } from '../../server/src/options/option-registry.js';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const completion = (content: string): Json => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  usage,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const message = (text: string): Json => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'gpt-4o',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text }],
  usage: { input_tokens: 100, output_tokens: 20 },
});
const responsesUsage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const nativeResponse = (text: string): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-4o',
  usage: responsesUsage,
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] }],
});

const tools = [{ type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }];
/** A session in the form in which Codex sends it for compaction. */
const session: Json = {
  model: 'gpt-4o',
  instructions: 'You are a coding agent.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandboxed.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the test' }] },
    { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{"command":"ls"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a.ts' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
  ],
  tools,
  parallel_tool_calls: false,
};

const compact = (key: string, body: Json = session): Promise<Response> =>
  relay.post('/v1/responses/compact', key, body);

describe('a summary by the same model', () => {
  it.each([
    ['DeepSeek', 43, completion('They fix a.ts.')],
    ['Claude', 14, message('They fix a.ts.')],
    ['xAI', 48, nativeResponse('They fix a.ts.')],
  ])('is made at %s (type %i), charged as a call, and continued from', async (_name, type, reply) => {
    await relay.addChannel({ type });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(reply));
    const response = await compact(key);
    expect(response.status).toBe(200);
    const compacted = (await response.json()) as { output: Json[]; usage: Json };
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [{ role: 'developer' }, { role: 'user' }, { type: 'compaction' }],
      usage: { input_tokens: 100, output_tokens: 20 },
    });
    expect(JSON.stringify(compacted)).not.toContain('They fix');
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, is_stream: false });
    expect(row?.quota).toBeGreaterThan(0);
    const asked = JSON.stringify(relay.upstream.requests[0]?.body);
    for (const text of ['You are a coding agent.', 'Fix the test', 'a.ts', 'Summarize this conversation']) {
      expect(asked).toContain(text);
    }
    relay.upstream.script({}, json(reply));
    const input = [...compacted.output, { type: 'message', role: 'user', content: 'Go on' }];
    const next = await relay.post('/v1/responses', key, { model: 'gpt-4o', input });
    expect(next.status).toBe(200);
    const sent = JSON.stringify(relay.upstream.requests[1]?.body);
    expect(sent).toContain('They fix a.ts.');
    expect(sent).not.toContain('tollgate.');
  });

  it('is read for its own token alone', async () => {
    await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    const other = await relay.addToken();
    relay.upstream.script({}, json(completion('They fix a.ts.')));
    const { output } = (await (await compact(key)).json()) as { output: Json[] };
    const refused = await relay.post('/v1/responses', other.key, { model: 'gpt-4o', input: output });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('only the provider that compacted it can read it');
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it('is missing: the call fails and costs nothing', async () => {
    await relay.addChannel({ type: 43 });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(completion(' ')));
    expect((await compact(key)).status).toBe(502);
    expect(await relay.logs(userId)).toEqual([]);
  });

  it('follows a trigger in a streamed call, as one item', async () => {
    await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion('They fix a.ts.')));
    const input = [...(session['input'] as Json[]), { type: 'compaction_trigger' }];
    const response = await relay.post('/v1/responses', key, { ...session, input, stream: true, store: false });
    const events = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)) as Json);
    expect(events.map(({ type }) => type)).toEqual([
      ...['response.created', 'response.in_progress'],
      ...['response.output_item.added', 'response.output_item.done', 'response.completed'],
    ]);
    expect(events[3]).toMatchObject({ item: { type: 'compaction' } });
    expect(events[4]).toMatchObject({ response: { status: 'completed', usage: { input_tokens: 100 } } });
    expect(relay.upstream.requests[0]?.stream).toBe(false);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain('compaction_trigger');
  });
});

describe('a conversation that was compacted and stored', () => {
  const trigger = { type: 'compaction_trigger' };
  const replies: Record<string, (text: string) => Json> = {
    'chat completions': completion,
    Messages: message,
    Responses: nativeResponse,
  };
  const ask = async (key: string, body: Json): Promise<Json> => {
    const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', ...body });
    expect(response.status).toBe(200);
    return (await response.json()) as Json;
  };
  const sent = (index: number): string => JSON.stringify(relay.upstream.requests[index]?.body);
  const begun = [...(session['input'] as Json[]), trigger];

  it.each([
    ['chat completions', 43],
    ['Messages', 14],
    ['Responses', 48],
  ])('goes on from its summary at a provider of %s', async (dialect, type) => {
    await relay.addChannel({ type });
    const { key } = await relay.addToken();
    const reply = replies[dialect] ?? completion;
    const said = (text: string): Reply => json(reply(text));
    relay.upstream.script({}, said('They fix a.ts.'), said('Next done.'), said('It is two words.'), said('Bye.'));
    const made = await ask(key, { input: begun, tools });
    expect(made).toMatchObject({ store: true, output: [{ type: 'compaction' }] });
    const next = await ask(key, { input: 'next', previous_response_id: made['id'] });
    for (const text of ['Sandboxed.', 'They fix a.ts.', 'next']) expect(sent(1)).toContain(text);
    for (const text of ['Fix the test', 'Done.', 'shell', 'tollgate.', 'compaction', 'previous_response_id'])
      expect(sent(1)).not.toContain(text);
    if (dialect === 'Responses') return;
    // A compacted conversation can be continued and compacted again.
    const again = await ask(key, { input: [trigger], previous_response_id: next['id'] });
    for (const text of ['They fix a.ts.', 'Next done.', 'Summarize this']) expect(sent(2)).toContain(text);
    await ask(key, { input: 'last', previous_response_id: again['id'] });
    for (const text of ['Sandboxed.', 'It is two words.', 'last']) expect(sent(3)).toContain(text);
    for (const text of ['They fix', 'Next done.', 'tollgate.']) expect(sent(3)).not.toContain(text);
  });

  describe('with a guardrail', () => {
    const rule = { name: 'words', stage: 'output', action: 'block', check: 'words', words: ['never'] };
    beforeEach(() => relay.setOptions({ 'guardrails.rules': [rule as OptionValues['guardrails.rules'][number]] }));

    it.each([
      ['chat completions', 43, false],
      ['chat completions', 43, true],
      ['Responses', 48, false],
      ['Responses', 48, true],
    ])('goes on from its summary at a provider of %s (type %d, stream: %s)', async (dialect, type, stream) => {
      await relay.addChannel({ type });
      const { key } = await relay.addToken();
      const said = (text: string): Reply => json((replies[dialect] ?? completion)(text));
      relay.upstream.script({}, said('They fix a.ts.'), said('Next done.'));
      const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: begun, tools, stream });
      const text = await response.text();
      const last = stream ? (text.split('\n').findLast((line) => line.startsWith('data: ')) ?? '').slice(6) : text;
      const made = (stream ? (JSON.parse(last) as { response: Json }).response : JSON.parse(last)) as Json;
      expect(made).toMatchObject({ store: true, output: [{ type: 'compaction' }] });
      await ask(key, { input: 'next', previous_response_id: made['id'] });
      for (const part of ['Sandboxed.', 'They fix a.ts.', 'next']) expect(sent(1)).toContain(part);
      expect(sent(1)).not.toContain('previous_response_id');
    });
  });

  it('is compacted again by its id', async () => {
    await relay.addChannel({ type: 14 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message('They fix a.ts.')), json(message('A shorter summary.')));
    const made = await ask(key, { input: begun });
    const response = await compact(key, { model: 'gpt-4o', previous_response_id: made['id'] });
    expect(response.status).toBe(200);
    expect(sent(1)).toContain('They fix a.ts.');
    expect(sent(1)).not.toContain('Fix the test');
  });

  it('is opened for a provider that has a compaction of its own', async () => {
    const first = await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion('They fix a.ts.')), json(nativeResponse('x')));
    const made = await ask(key, { input: begun });
    await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [first]);
    await relay.changed({ kind: 'channel', id: first });
    await relay.addChannel({ type: 1 });
    await ask(key, { input: 'next', previous_response_id: made['id'] });
    expect(relay.upstream.requests[1]?.body?.['input']).toEqual([
      (session['input'] as Json[])[0],
      { type: 'message', role: 'user', content: expect.stringContaining('They fix a.ts.') as string },
      { type: 'message', role: 'user', content: 'next' },
    ]);
  });

  it('can be referred to by its item, and sent back by the client', async () => {
    await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion('They fix a.ts.')), json(completion('x')), json(completion('y')));
    const made = await ask(key, { input: begun });
    const [item] = made['output'] as Json[];
    await ask(key, {
      input: [
        { type: 'item_reference', id: item?.['id'] },
        { role: 'user', content: 'next' },
      ],
    });
    await ask(key, { input: [...begun, item, { role: 'user', content: 'next' }] });
    const summary = { role: 'user', content: expect.stringContaining('They fix a.ts.') as string };
    const [, referred, whole] = relay.upstream.requests.map(({ body }) => body?.['messages']);
    expect(referred).toEqual([summary, { role: 'user', content: 'next' }]);
    expect(whole).toEqual([
      expect.objectContaining({ content: 'Sandboxed.' }),
      ...[summary, { role: 'user', content: 'next' }],
    ]);
  });

  it('goes on without what its provider stores before the summary', async () => {
    await relay.addChannel({ type: 48 });
    const { key } = await relay.addToken();
    const said = (id: string, text: string): Reply => json({ ...nativeResponse(text), id });
    relay.upstream.script({}, said('resp_0', 'Hello'), said('resp_1', 'They fix a.ts.'), said('resp_2', 'x'));
    const first = await ask(key, { input: 'Fix the test' });
    const made = await ask(key, { input: [trigger], previous_response_id: first['id'] });
    expect(relay.upstream.requests[1]?.body).toMatchObject({ previous_response_id: 'resp_0', store: false });
    // A gateway may give two responses the same id, so the response gets an id of this site.
    const ownId = expect.stringMatching(/^resp_\d{23}\w{8}$/) as string;
    expect(made).toMatchObject({ id: ownId, previous_response_id: 'resp_0' });
    await ask(key, { input: 'next', previous_response_id: made['id'] });
    expect(relay.upstream.requests[2]?.body).not.toHaveProperty('previous_response_id');
    expect(relay.upstream.requests[2]?.body?.['input']).toEqual([
      { type: 'message', role: 'user', content: expect.stringContaining('They fix a.ts.') as string },
      { type: 'message', role: 'user', content: 'next' },
    ]);
  });
});

describe('the compaction of a provider', () => {
  const own = {
    id: 'resp_9',
    object: 'response.compaction',
    created_at: 1,
    usage: responsesUsage,
    output: [{ id: 'cmp_9', type: 'compaction', encrypted_content: 'gAAAA' }],
  };

  it('is used where it has one, and its items go back to it unread', async () => {
    await relay.addChannel({ type: 1, mapping: '{"gpt-4o":"gpt-5"}' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(own));
    expect(await (await compact(key, { ...session, stream: true })).json()).toEqual(own);
    const [request] = relay.upstream.requests;
    expect(request?.path).toBe('/v1/responses/compact');
    expect(request?.body).toEqual({ ...session, model: 'gpt-5' });
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 });
    relay.upstream.script({}, json(nativeResponse('x')));
    await relay.post('/v1/responses', key, { model: 'gpt-4o', input: own.output });
    expect(relay.upstream.requests[1]?.body?.['input']).toEqual(own.output);
  });

  it('is not understood by another provider, which says so', async () => {
    await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: own.output });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('input[0] is not supported by the provider of this channel');
  });

  it('is replaced by a summary where the address does not know the path', async () => {
    await relay.addChannel({ type: 1 });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({ path: '/v1/responses/compact' }, json({ error: { message: 'Not found' } }, 404));
    relay.upstream.script({ path: '/v1/responses' }, json(nativeResponse('They fix a.ts.')));
    relay.upstream.script({ path: '/v1/responses/compact' }, json({ error: { message: 'Not found' } }, 404));
    const response = await compact(key);
    expect(await response.json()).toMatchObject({ output: [{}, {}, { type: 'compaction' }] });
    expect(relay.upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses/compact', '/v1/responses']);
    expect(await relay.logsOf(userId, 1)).toHaveLength(1);
  });
});

describe('the compaction of Anthropic, whose summary can be read,', () => {
  const tool = { name: 'read', input_schema: { type: 'object', properties: {} } };
  const compacted = {
    model: 'gpt-4o',
    max_tokens: 100,
    system: 'You are a coding agent.',
    tools: [tool],
    messages: [
      { role: 'user', content: 'Read the whole tree' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'A long story' },
          { type: 'compaction', content: 'They fix a.ts.', encrypted_content: 'gAAAA', signature: 's' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'the file' }] },
    ],
  };

  it.each([
    ['chat completions', 43],
    ['Gemini', 24],
    ['Cohere', 34],
  ])('begins the conversation at a provider of %s', async (_name, type) => {
    await relay.addChannel({ type });
    const { key } = await relay.addToken();
    await (await relay.post('/v1/messages', key, compacted)).text();
    const sent = JSON.stringify(relay.upstream.requests[0]?.body);
    for (const text of ['You are a coding agent.', 'They fix a.ts.', 'read', 'the file']) expect(sent).toContain(text);
    for (const text of ['whole tree', 'A long story', 'gAAAA']) expect(sent).not.toContain(text);
  });

  it('goes back to it as it is', async () => {
    await relay.addChannel({ type: 14 });
    const { key } = await relay.addToken();
    await (await relay.post('/v1/messages', key, compacted)).text();
    expect(relay.upstream.requests[0]?.body).toEqual(compacted);
  });

  it('that failed is left out by name', async () => {
    await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion('They fix a.ts.')));
    const [first, second, third] = compacted.messages;
    const failed = { ...second, content: [{ type: 'compaction', content: null }, (second?.content as Json[])[2]] };
    const response = await relay.post('/v1/messages', key, { ...compacted, messages: [first, failed, third] });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, 'messages.content.compaction']);
  });
});
