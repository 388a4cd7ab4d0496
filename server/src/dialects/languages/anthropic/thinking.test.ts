import { clients, type Json } from '../../../../../tests/support/relay-dialects.js';
import { claudeTraits } from './claude-model.js';
import { defaultClaudeSettings } from './claude-settings.js';
import { messagesProvider } from './messages-write.js';

const provider = messagesProvider(defaultClaudeSettings);
const tool = { type: 'function', function: { name: 'f' } };
const write = (model: string, body: Json): { body: Json; dropped: readonly string[] } =>
  provider.write(
    clients['openai-chat'].parse({ body: { messages: [{ role: 'user', content: 'hi' }], ...body }, model }),
  );
const thinkingOf = (model: string, body: Json): unknown => write(model, body).body['thinking'];

describe('reasoning_effort', () => {
  it.each([
    ['minimal', 2000],
    ['low', 2000],
    ['medium', 5000],
    ['high', 8000],
  ])('%s is a share of the limit for models with a budget', (effort, budget) => {
    const { body } = write('claude-sonnet-4-5', {
      reasoning_effort: effort,
      max_tokens: 10_000,
      temperature: 0.2,
      top_k: 4,
    });
    expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: budget });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('top_k');
  });

  it('leaves at least 1024 tokens to think and something to answer', () => {
    expect(write('claude-sonnet-4-5', { reasoning_effort: 'low', max_tokens: 100 }).body).toMatchObject({
      max_tokens: 1280,
      thinking: { budget_tokens: 1024 },
    });
    expect(
      write('claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 5000 }, max_tokens: 2000 }).body,
    ).toMatchObject({
      max_tokens: 2000,
      thinking: { budget_tokens: 1999 },
    });
  });

  it.each([{ thinking: { type: 'enabled' } }, { reasoning: { enabled: true } }])(
    'may be left to the model: %j',
    (given) => {
      expect(thinkingOf('claude-sonnet-4-5', { ...given, max_tokens: 10_000 })).toEqual({
        type: 'enabled',
        budget_tokens: 5000,
      });
      expect(thinkingOf('claude-opus-4-6', given)).toEqual({ type: 'adaptive' });
      expect(write('claude-opus-4-6', { ...given, reasoning_effort: 'low' }).body['output_config']).toEqual({
        effort: 'low',
      });
    },
  );

  it('is an effort for models that choose for themselves', () => {
    expect(write('claude-opus-4-6', { reasoning_effort: 'minimal' }).body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
    expect(write('claude-opus-4-7', { reasoning_effort: 'xhigh' }).body).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'xhigh' },
    });
    expect(write('claude-sonnet-4-6', { reasoning_effort: 'xhigh' }).body['output_config']).toEqual({ effort: 'high' });
  });

  it('none switches thinking off', () => {
    expect(thinkingOf('claude-opus-4-6', { reasoning_effort: 'none' })).toEqual({ type: 'disabled' });
    expect(thinkingOf('claude-sonnet-4-5', { reasoning_effort: 'none' })).toEqual({ type: 'disabled' });
  });

  it.each(['claude-fable-5', 'us.anthropic.claude-fable-5-1', 'claude-mythos-5', 'claude-mythos-preview'])(
    'is an effort for %s, which takes neither a budget nor sampling parameters, as Claude 5',
    (model) => {
      const { body, dropped } = write(model, { reasoning_effort: 'high', temperature: 0.2, max_tokens: 10_000 });
      expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
      expect(body).not.toHaveProperty('temperature');
      expect(dropped).toEqual(['temperature']);
      expect(claudeTraits(model).outputLimit).toBe(128_000);
    },
  );

  it.each(['claude-fable-5-1', 'claude-mythos-preview', 'claude-opus-5-5', 'claude-sonnet-5-5'])(
    'none is the lowest effort for %s, which refuses to think not at all',
    (model) => {
      const { body, dropped } = write(model, { reasoning_effort: 'none' });
      expect(body).not.toHaveProperty('thinking');
      expect(body).toMatchObject({ output_config: { effort: 'low' } });
      expect(dropped).toEqual(['reasoning_effort']);
    },
  );

  it.each(['claude-opus-4-6', 'claude-sonnet-5', 'claude-fable-5', 'claude-haiku-5-5'])(
    'stays for %s where a tool has to be called, because the model chooses for itself',
    (model) => {
      for (const given of [{ reasoning_effort: 'high' }, { thinking: { type: 'adaptive' } }]) {
        const { body, dropped } = write(model, { ...given, tools: [tool], tool_choice: 'required' });
        expect(body).toMatchObject({ thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } });
        expect(dropped).toEqual([]);
      }
    },
  );

  it.each(['claude-fable-5-1', 'us.anthropic.claude-mythos-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5'])(
    '%s cannot be forced to call a tool, which another channel may do',
    (model) => {
      const refusedField = (body: Json): unknown => {
        try {
          write(model, body);
        } catch (error) {
          return (error as { field?: unknown }).field;
        }
        return undefined;
      };
      expect(refusedField({ tools: [tool], tool_choice: 'required' })).toBe('tool_choice');
      expect(refusedField({ tools: [tool], tool_choice: { type: 'function', function: { name: 'f' } } })).toBe(
        'tool_choice',
      );
      // A response in JSON without a schema is produced by a tool call.
      expect(refusedField({ response_format: { type: 'json_object' } })).toBe('response_format');
      expect(refusedField({ tools: [tool], tool_choice: 'auto' })).toBeUndefined();
    },
  );

  it('is left out and named where the model does not think, or where a tool has to be called', () => {
    expect(write('claude-3-5-haiku-20241022', { reasoning_effort: 'high' })).toMatchObject({
      dropped: ['reasoning_effort'],
    });
    const forced = write('claude-sonnet-4-5', { reasoning_effort: 'high', tools: [tool], tool_choice: 'required' });
    expect(forced.dropped).toEqual(['reasoning_effort']);
    expect(forced.body).not.toHaveProperty('thinking');
    expect(forced.body['tool_choice']).toEqual({ type: 'any' });
  });
});

describe('a turn that goes on after calls of tools', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'x' };
  const user = { role: 'user', content: 'hi' };
  const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const plain = { role: 'assistant', content: null, tool_calls: [call] };
  const thoughtful = { ...plain, thinking_blocks: [thought] };
  const wanting = { reasoning_effort: 'high', max_tokens: 10_000, temperature: 0.2, tools: [tool] };
  const after = (model: string, ...messages: Json[]): { body: Json; dropped: readonly string[] } =>
    write(model, { ...wanting, messages });

  it.each([
    ['one call', [user, plain, result]],
    ['several', [user, plain, result, thoughtful, result]],
    ['a text before the call', [user, { ...plain, content: 'a' }, result]],
  ])('without its first thought is not thought about with a budget: %s', (_what, messages) => {
    const { body, dropped } = after('claude-sonnet-4-5', ...messages);
    expect(body).not.toHaveProperty('thinking');
    expect(body).toMatchObject({ max_tokens: 10_000, temperature: 0.2 });
    expect(dropped).toEqual(['reasoning_effort']);
  });

  it.each([
    ['its thought is there', [user, thoughtful, result]],
    ['only its first call needs one', [user, thoughtful, result, plain, result]],
    ['the user spoke since then', [user, plain, result, { role: 'assistant', content: 'a' }, user]],
  ])('is thought about where %s', (_what, messages) => {
    const { body } = after('claude-sonnet-4-5', ...messages);
    expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: 8000 });
  });

  it('needs no thought where the model chooses for itself', () => {
    expect(after('claude-opus-4-6', user, plain, result).body['thinking']).toEqual({ type: 'adaptive' });
  });
});

describe('thoughts that are bound to their conversation', () => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const talk = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'a', thinking_blocks: [thought] },
    { role: 'user', content: 'b' },
  ];
  const dropping = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };

  it.each(['claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-6'])(
    'may be left out by %s, because a translation reads otherwise',
    (model) => {
      expect(thinkingOf(model, { messages: talk })).toEqual({ type: 'adaptive', ...dropping });
      expect(thinkingOf(model, { messages: talk, reasoning_effort: 'high' })).toMatchObject({
        type: 'adaptive',
        ...dropping,
      });
      expect(thinkingOf(model, {})).toBeUndefined();
    },
  );

  it.each(['claude-fable-5', 'claude-opus-5', 'claude-sonnet-5', 'claude-opus-4-6'])('are none of %s', (model) => {
    expect(thinkingOf(model, { messages: talk })).toBeUndefined();
    expect(thinkingOf(model, { messages: talk, reasoning_effort: 'high' })).not.toHaveProperty('block_binding');
  });

  it('are not asked about where the model does not think', () => {
    expect(thinkingOf('claude-haiku-5-5', { messages: talk, reasoning_effort: 'none' })).toEqual({ type: 'disabled' });
  });
});

describe('a name that ends -thinking', () => {
  it('thinks for a share of the limit, at the default temperature', () => {
    expect(
      write('claude-3-7-sonnet-20250219-thinking', { max_tokens: 10_000, temperature: 0, top_p: 0.5 }).body,
    ).toMatchObject({
      model: 'claude-3-7-sonnet-20250219',
      max_tokens: 10_000,
      thinking: { type: 'enabled', budget_tokens: 8000 },
      temperature: 1,
    });
  });

  it('does not think for the whole of a limit nobody chose', () => {
    expect(write('claude-3-7-sonnet-20250219-thinking', {}).body).toMatchObject({
      max_tokens: 64_000,
      thinking: { budget_tokens: 6553 },
    });
  });

  it('gives way to what the client says itself', () => {
    expect(thinkingOf('claude-sonnet-4-5-thinking', { reasoning_effort: 'none' })).toEqual({ type: 'disabled' });
  });

  it('cannot be forced to call a tool', () => {
    expect(() => write('claude-sonnet-4-5-thinking', { tools: [tool], tool_choice: 'required' })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_BY_CHANNEL', field: 'tool_choice' }),
    );
  });

  it('is a name like any other where the admin wants no such thing', () => {
    const plain = messagesProvider({ ...defaultClaudeSettings, thinkingSuffix: false });
    const request = clients['openai-chat'].parse({
      body: { messages: [{ role: 'user', content: 'hi' }] },
      model: 'claude-x-thinking',
    });
    expect(plain.write(request).body).toMatchObject({ model: 'claude-x-thinking', max_tokens: 8192 });
  });
});

describe('the limit of an answer', () => {
  it.each([
    ['claude-3-haiku-20240307', 4096],
    ['claude-3-5-sonnet-20241022', 8192],
    ['claude-opus-4-20250514', 32_000],
    ['claude-opus-4-1', 32_000],
    ['claude-sonnet-4-20250514', 64_000],
    ['claude-opus-4-5', 64_000],
    ['claude-opus-4-6', 128_000],
    ['somebody-elses-name', 8192],
  ])('%s: %i when the client names none', (model, limit) => {
    expect(write(model, {}).body['max_tokens']).toBe(limit);
  });

  it('is what the admin set for the model', () => {
    const set = messagesProvider({
      ...defaultClaudeSettings,
      defaultMaxTokens: { default: 100, 'claude-opus-4-6': 7 },
    });
    const request = (model: string): unknown =>
      set.write(clients['openai-chat'].parse({ body: { messages: [{ role: 'user', content: 'hi' }] }, model })).body[
        'max_tokens'
      ];
    expect([request('claude-opus-4-6'), request('unknown')]).toEqual([7, 100]);
  });
});

it.each([
  ['claude-sonnet-4-20250514', 'budget'],
  ['anthropic.claude-3-5-sonnet-20240620-v1:0', 'none'],
  ['us.anthropic.claude-sonnet-4-6-20260101-v1:0', 'adaptive'],
  ['claude-haiku-4-6', 'budget'],
  ['claude-sonnet-5', 'adaptive'],
  ['claude-3-7-sonnet@20250219', 'budget'],
  ['claude-2.1', 'none'],
  ['claude-instant-1.2', 'none'],
])('%s thinks: %s', (model, thinking) => {
  expect(claudeTraits(model).thinking).toBe(thinking);
});
