/** Conversations that coding agents compact: by the provider, or by a summary of the same model. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const completion = (content: string): Json => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4o', usage },
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const message = (text: string): Json => ({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'gpt-4o', stop_reason: 'end_turn' },
  content: [{ type: 'text', text }],
  usage: { input_tokens: 100, output_tokens: 20 },
});
const responsesUsage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const nativeResponse = (text: string): Json => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'gpt-4o', usage: responsesUsage },
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] }],
});

const tools = [{ type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }];
/** A session of a coding agent, as Codex sends it to be compacted. */
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
      ...['response.created', 'response.output_item.added', 'response.output_item.done', 'response.completed'],
    ]);
    expect(events[2]).toMatchObject({ item: { type: 'compaction' } });
    expect(events[3]).toMatchObject({ response: { status: 'completed', usage: { input_tokens: 100 } } });
    expect(relay.upstream.requests[0]?.stream).toBe(false);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain('compaction_trigger');
  });
});

describe('the compaction of a provider', () => {
  const own = {
    ...{ id: 'resp_9', object: 'response.compaction', created_at: 1, usage: responsesUsage },
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
