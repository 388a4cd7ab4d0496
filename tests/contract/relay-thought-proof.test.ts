/** The proof of a thought is sent only to the provider that made the thought. */
import { events, json } from '../support/upstream/replies.js';
import { payloadsOf, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

const geminiCall = (name: string, args: Json) => ({
  candidates: [
    { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ functionCall: { name, args } }] } },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
});

describe('proof of thinking', () => {
  const ofOpenAI = `gAAAAABpQx0${'x'.repeat(100)}`;
  const ofClaude = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h';
  const ofGoogle = 'EskgCsYgAb4+9vtF7/499YQS2bjZs3xcQI+iAl+I';
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {}, stop_reason: 'end_turn' };
  const thought = (signature?: string): Json => ({ type: 'thinking', thinking: 'hm', signature });
  const claudeHistory = (...thoughts: Json[]): Json => ({
    model: 'gpt-4o',
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [...thoughts, { type: 'text', text: 'Hello' }] },
      { role: 'user', content: 'go on' },
    ],
  });

  it('of other providers does not reach Anthropic with a client of its own dialect', async () => {
    await relay.addChannel({ type: 14 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    await relay.post(
      '/v1/messages',
      key,
      claudeHistory(thought(ofGoogle), thought(), thought(ofOpenAI), thought(ofClaude)),
    );
    expect(relay.upstream.requests[0]?.body).toEqual(claudeHistory(thought(ofClaude)));
  });

  it('that a turn lacks keeps Claude from thinking with a budget, which it would refuse', async () => {
    await relay.addChannel({ type: 14, models: 'claude-haiku-4-5' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const call = { type: 'tool_use', id: 't1', name: 'f', input: {} };
    const keep = { type: 'clear_tool_uses_20250919' };
    const turn = (...content: Json[]): Json => ({
      model: 'claude-haiku-4-5',
      max_tokens: 9000,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [...content, call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
      ],
    });
    const thinks = { thinking: { type: 'enabled', budget_tokens: 4000 } };
    const clears = (...edits: Json[]): Json => ({ context_management: { edits } });
    const clearing = clears({ type: 'clear_thinking_20251015', keep: 'all' }, keep);
    await relay.post('/v1/messages', key, { ...turn(thought(ofGoogle)), ...thinks, ...clearing });
    expect(relay.upstream.requests[0]?.body).toEqual({ ...turn(), ...clears(keep) });
    const proven = { ...turn(thought(ofClaude)), ...thinks, ...clearing };
    await relay.post('/v1/messages', key, proven);
    expect(relay.upstream.requests[1]?.body).toEqual(proven);
  });

  it.each([
    [14, 'sk-ant', 'anthropic-beta'],
    [33, 'AK|SK|us-east-1', 'anthropic_beta'],
  ])('may be left out by Claude at type %i where a translation reads otherwise', async (type, channelKey, place) => {
    await relay.addChannel({ type, key: channelKey, models: 'claude-sonnet-5-5' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const ask = (...thinking_blocks: Json[]): Promise<Response> =>
      relay.chat(key, {
        model: 'claude-sonnet-5-5',
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'Hello', thinking_blocks },
          { role: 'user', content: 'go on' },
        ],
      });
    expect((await ask(thought(ofClaude))).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const [bound, plain] = relay.upstream.requests.map(({ headers, body }): Json => ({ ...body, ...headers }));
    expect(bound).toMatchObject({
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    });
    expect([bound?.[place]].flat()).toEqual(['thinking-binding-controls-2026-08-01']);
    expect(plain).not.toHaveProperty('thinking');
    expect(plain).not.toHaveProperty(place);
  });

  it('of Claude comes back as Claude gave it, when an SDK of Google has written it anew', async () => {
    const given = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h/+//8+8=';
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const thought = { text: 'hm', thought: true, thoughtSignature: given.replaceAll('+', '-').replaceAll('/', '_') };
    await relay.post('/v1beta/models/claude-sonnet-4-5:generateContent', key, {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [thought, { text: 'Hello' }] },
        { role: 'user', parts: [{ text: 'go on' }] },
      ],
    });
    const { messages } = relay.upstream.requests[0]?.body as { messages: Json[] };
    expect(messages[1]).toMatchObject({ content: [{ type: 'thinking', signature: given }, { type: 'text' }] });
  });

  it('of Claude comes back with the thought that it signs, when a chat of Google’s SDK keeps every chunk', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    const { key } = await relay.addToken();
    const delta = (index: number, given: Json): Json => ({ type: 'content_block_delta', index, delta: given });
    const stream = [
      { type: 'message_start', message: { ...message, stop_reason: null, usage: { input_tokens: 9 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
      delta(0, { type: 'thinking_delta', thinking: 'look.' }),
      delta(0, { type: 'signature_delta', signature: ofClaude }),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't1', name: 'f', input: {} } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    relay.upstream.script(
      {},
      events(
        stream.map((each) => JSON.stringify(each)),
        { done: false },
      ),
    );
    const path = '/v1beta/models/claude-sonnet-4-5';
    const user = { role: 'user', parts: [{ text: 'hi' }] };
    const answer = await relay.post(`${path}:streamGenerateContent?alt=sse`, key, { contents: [user] });
    const chunks = payloadsOf(await answer.text()).map(
      (each) => JSON.parse(each) as { candidates: { content: Json }[] },
    );
    relay.upstream.script({}, json(message));
    await relay.post(`${path}:generateContent`, key, {
      contents: [
        user,
        ...chunks.flatMap(({ candidates }) => candidates.map(({ content }) => content)),
        { role: 'user', parts: [{ functionResponse: { id: 't1', name: 'f', response: { result: 'x' } } }] },
      ],
    });
    const { messages } = relay.upstream.requests.at(-1)?.body as { messages: Json[] };
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me look.', signature: ofClaude },
        { type: 'tool_use', id: 't1', name: 'f', input: {} },
      ],
    });
  });

  it.each([
    ['Anthropic', 14, 'claude-sonnet-4-5', ofOpenAI],
    ['Anthropic', 14, 'claude-sonnet-4-5', ofGoogle],
    ['Gemini', 24, 'gemini-2.5-flash', ofOpenAI],
    ['Gemini', 24, 'gemini-2.5-flash', ofClaude],
  ])('does not reach %s with clients of Responses', async (_name, type, model, proof) => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': model }) });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(type === 14 ? message : geminiCall('f', {})));
    const response = await relay.post('/v1/responses', key, {
      model: 'gpt-4o',
      input: [
        { role: 'user', content: 'hi' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: proof },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'go on' },
      ],
    });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, 'input.reasoning']);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain(proof);
  });

  it('of other providers, and ids that this server made, do not reach OpenAI', async () => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ id: 'resp_1', object: 'response', status: 'completed', output: [] }));
    const id = `${'1'.repeat(23)}abcdefgh`;
    const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: ofOpenAI };
    const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] };
    const input = [
      { role: 'user', content: 'hi' },
      own,
      { ...own, id: 'rs_2', encrypted_content: ofClaude },
      { type: 'reasoning', id: `rs_${id}_0`, summary: [] },
      { ...text, id: `msg_${id}_1` },
    ];
    await relay.post('/v1/responses', key, { model: 'gpt-4o', input });
    expect(relay.upstream.requests[0]?.body).toEqual({ model: 'gpt-4o', input: [input[0], own, text] });
  });

  it('of other providers does not reach Google with a client of its own dialect', async () => {
    await relay.addChannel({ type: 24 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(geminiCall('f', {})));
    const contents = (signature: string): Json[] => [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature: signature }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: 'x' } } }] },
    ];
    await relay.post('/v1beta/models/gpt-4o:generateContent', key, { contents: contents(ofClaude) });
    expect(relay.upstream.requests[0]?.body).toEqual({ contents: contents('skip_thought_signature_validator') });
  });

  describe('in reasoning_details of OpenRouter', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const google = { type: 'reasoning.encrypted', data: ofGoogle, id: 'call_1', format: 'google-gemini-v1', index: 0 };
    const claude = { type: 'reasoning.text', text: 'hm', signature: ofClaude, format: 'anthropic-claude-v1', index: 0 };
    const hidden = { type: 'reasoning.encrypted', data: ofClaude, format: 'anthropic-claude-v1', index: 1 };
    const openAI = { type: 'reasoning.encrypted', data: ofOpenAI, id: 'rs_1', format: 'openai-responses-v1', index: 0 };
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];

    it.each<[string, Json[], string]>([
      ['google/gemini-3-pro', [google], 'I think'],
      ['anthropic/claude-sonnet-4.5', [claude, hidden], 'hm'],
      ['openai/gpt-5', [openAI], 'I think'],
    ])('goes through a client of Messages and back: %s', async (model, details, reasoning) => {
      await relay.addChannel({ type: 20, mapping: JSON.stringify({ 'gpt-4o': model }) });
      const { key } = await relay.addToken();
      const said = { role: 'assistant', content: null, reasoning, reasoning_details: details, tool_calls: [call] };
      const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
      const ask = async (messages: unknown, stream = false): Promise<Response> =>
        relay.post('/v1/messages', key, { model: 'gpt-4o', max_tokens: 50, messages, tools, stream });
      const user = { role: 'user', content: 'hi' };
      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '5' }] };

      relay.upstream.script(
        {},
        json({ id: 'c', model, choices: [{ index: 0, message: said, finish_reason: 'tool_calls' }], usage }),
      );
      const { content } = (await (await ask([user])).json()) as { content: Json[] };
      expect(content.at(-1)).toMatchObject({ type: 'tool_use' });
      await ask([user, { role: 'assistant', content }, result]);
      const { messages } = relay.upstream.requests.at(-1)?.body as { messages: Json[] };
      expect(messages[1]).toMatchObject({ reasoning, reasoning_details: details });

      const chunk = (delta: Json, finish: string | null = null) =>
        JSON.stringify({ id: 'c', model, choices: [{ index: 0, delta, finish_reason: finish }] });
      const begun = { ...call, index: 0 };
      relay.upstream.script(
        {},
        events([
          chunk({
            role: 'assistant',
            content: '',
            reasoning,
            reasoning_details: [{ type: 'reasoning.text', text: reasoning }],
          }),
          chunk({ tool_calls: [begun], reasoning_details: details }),
          chunk({}, 'tool_calls'),
        ]),
      );
      const streamed = await (await ask([user], true)).text();
      const lines = streamed.split('\n').filter((line) => line.startsWith('data: '));
      const blocks = lines.map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, Json | undefined>);
      const signed = blocks.flatMap(({ delta, content_block: block }) => delta?.['signature'] ?? block?.['data'] ?? []);
      expect(signed).toEqual(
        details.map((each) => (each === openAI ? `rs_1:${ofOpenAI}` : (each['signature'] ?? each['data']))),
      );
    });

    it('does not go to another maker', async () => {
      await relay.addChannel({ type: 20, mapping: '{"gpt-4o":"google/gemini-3-pro"}' });
      const { key } = await relay.addToken();
      await relay.post('/v1/messages', key, claudeHistory(thought(ofClaude)));
      const { messages } = relay.upstream.requests.at(-1)?.body as { messages: Json[] };
      expect(messages[1]).toMatchObject({ reasoning: 'hm' });
      expect(messages[1]).not.toHaveProperty('reasoning_details');
    });
  });
});
