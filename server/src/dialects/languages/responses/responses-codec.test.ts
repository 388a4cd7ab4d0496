import { clients, contextFor, type Json } from '../../../../../tests/support/relay-dialects.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { defaultClaudeSettings } from '../anthropic/claude-settings.js';
import { messagesProvider } from '../anthropic/messages-write.js';
import { chatProvider } from '../openai/chat-write.js';
import { responsesProvider } from './responses-write.js';

const fromChat = (body: Json): WrittenRequest =>
  responsesProvider.write(
    clients['openai-chat'].parse({
      body: { messages: [{ role: 'user', content: 'hi' }], ...body },
      model: typeof body['model'] === 'string' ? body['model'] : 'gpt-4.1',
    }),
  );
const toChat = (body: Json): WrittenRequest =>
  chatProvider().write(clients['openai-responses'].parse({ body: { model: 'm', input: 'hi', ...body } }));

describe('a chat call for a provider of Responses', () => {
  it('names allowed tools by their kind, which Responses refuses otherwise', () => {
    const tools = [
      { type: 'custom', custom: { name: 'patch' } },
      { type: 'function', function: { name: 'f' } },
    ];
    const { body } = fromChat({
      tools,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } },
    });
    expect(body['tool_choice']).toEqual({
      type: 'allowed_tools',
      mode: 'auto',
      tools: [
        { type: 'custom', name: 'patch' },
        { type: 'function', name: 'f' },
      ],
    });
  });

  it('is not kept there, and its schemas are as strict as they were', () => {
    const tools = [
      { type: 'function', function: { name: 'f' } },
      { type: 'custom', custom: { name: 'c', format: { type: 'text' } } },
    ];
    expect(
      fromChat({
        tools,
        max_tokens: 5,
        response_format: { type: 'json_schema', json_schema: { name: 'o', schema: { type: 'object' } } },
      }).body,
    ).toEqual({
      model: 'gpt-4.1',
      store: false,
      input: [{ type: 'message', role: 'user', content: 'hi' }],
      max_output_tokens: 5,
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'custom', name: 'c', format: { type: 'text' } },
      ],
      text: { format: { type: 'json_schema', name: 'o', schema: { type: 'object' }, strict: false } },
    });
  });

  it('asks models that think for the proof of it', () => {
    expect(fromChat({ model: 'gpt-5.1', reasoning_effort: 'low' }).body).toMatchObject({
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
    });
    expect(fromChat({}).body).not.toHaveProperty('include');
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ stop: 'END' }, 'stop'],
    [{ modalities: ['audio'] }, 'modalities'],
    [{ web_search_options: {} }, 'web_search_options'],
  ])('is refused by name where it cannot be carried: %j', (body, field) => {
    expect(() => fromChat(body)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_BY_CHANNEL', field }));
  });

  it('has hints left out by name', () => {
    const { body, dropped } = fromChat({
      seed: 1,
      logit_bias: {},
      presence_penalty: 1,
      metadata: { a: 'b' },
      user: 'u',
      prediction: {},
    });
    expect(dropped).toEqual(['prediction', 'seed', 'presence_penalty', 'logit_bias']);
    expect(body).toMatchObject({ metadata: { a: 'b' }, user: 'u' });
  });
});

describe('a Responses call for a provider of chat', () => {
  it.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ background: true }, 'background'],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tools'],
    [{ tool_choice: { type: 'file_search' } }, 'tool_choice'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://e.example/a.pdf' }] }] },
      'input[0].content[0]',
    ],
  ])('is refused by name where it cannot be carried: %j', (body, field) => {
    expect(() => toChat(body)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_BY_CHANNEL', field }));
  });

  it('carries what both have, and names the rest', () => {
    const { body, dropped } = toChat({
      store: true,
      metadata: { a: 'b' },
      truncation: 'auto',
      background: false,
      text: { verbosity: 'low' },
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
    });
    expect(body).toMatchObject({ store: true, metadata: { a: 'b' }, verbosity: 'low', reasoning_effort: 'high' });
    expect(dropped).toEqual(['truncation', 'include']);
  });

  it.each([
    { input: '' },
    { input: undefined },
    { input: [{ type: 'message', role: 'robot', content: 'x' }] },
    { input: [{ type: 'function_call', name: 'f' }] },
  ])('is refused where it is wrong: %j', (body) => {
    expect(() => toChat(body)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: expect.stringContaining('input') }),
    );
  });
});

describe('thoughts', () => {
  const thought = {
    type: 'reasoning',
    id: 'rs_abc',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'ENC',
  };
  const answer = responsesProvider.read({
    id: 'resp_1',
    status: 'completed',
    model: 'gpt-5',
    output: [thought, { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }],
  });

  it('of a provider of Responses come back to it as they were, through a client of Messages', () => {
    const message = clients['anthropic-messages'].toAnswer(answer, contextFor());
    const body = {
      model: 'gpt-5',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: message['content'] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
      ],
    };
    const { body: sent } = responsesProvider.write(clients['anthropic-messages'].parse({ body }));
    expect((sent['input'] as Json[])[1]).toEqual(thought);
  });

  it('of Claude come back to it as they were, through a client of Responses', () => {
    const claude = messagesProvider(defaultClaudeSettings);
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'eA==' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ];
    const read = claude.read({ id: 'm', model: 'c', content, stop_reason: 'tool_use' });
    const response = clients['openai-responses'].toAnswer(read, contextFor());
    const input = [
      { role: 'user', content: 'hi' },
      ...(response['output'] as Json[]),
      { type: 'function_call_output', call_id: 't', output: 'x' },
    ];
    const { body } = claude.write(clients['openai-responses'].parse({ body: { model: 'claude-sonnet-4-5', input } }));
    expect((body['messages'] as Json[])[1]).toEqual({ role: 'assistant', content });
  });
});

describe('a response', () => {
  it('repeats what the client asked for', () => {
    const body = {
      instructions: 'S',
      tools: [{ type: 'function', name: 'f' }],
      temperature: 0.3,
      metadata: { a: 'b' },
      store: true,
    };
    expect(
      clients['openai-responses'].toAnswer(
        {
          id: 'msg_1',
          model: 'c',
          choices: [{ index: 0, parts: [{ kind: 'text', text: 'a' }], finish: 'stop' }],
          usage: null,
        },
        contextFor({ body }),
      ),
    ).toMatchObject({
      // The provider's id is that of a message, and may not be unique.
      id: `resp_${contextFor().id}`,
      object: 'response',
      status: 'completed',
      ...body,
      // The response is not stored, even if the client requested it.
      store: false,
      output: [
        { type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      ],
    });
  });

  it('that failed is thrown, one that is incomplete is an answer', () => {
    expect(() =>
      responsesProvider.read({ status: 'failed', error: { code: 'server_error', message: 'broken' }, output: [] }),
    ).toThrow('broken');
    const cut = responsesProvider.read({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }],
    });
    expect(cut.choices[0]).toMatchObject({ finish: 'contentFilter', parts: [{ kind: 'text', text: 'a' }] });
  });
});
