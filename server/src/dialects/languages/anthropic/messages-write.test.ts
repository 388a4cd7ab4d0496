import { clients, type Json } from '../../../../../tests/support/relay-dialects.js';
import { AppError } from '../../../shared/errors.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { defaultClaudeSettings } from './claude-settings.js';
import { messagesProvider } from './messages-write.js';

const provider = messagesProvider(defaultClaudeSettings);
const user = { role: 'user', content: 'hi' };
const tool = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
};

function write(body: Json, model = 'claude-sonnet-4-5'): WrittenRequest {
  return provider.write(clients['openai-chat'].parse({ body: { messages: [user], max_tokens: 2000, ...body }, model }));
}

function refusal(body: Json, model?: string): AppError {
  try {
    write(body, model);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('not refused');
}

it('the history keeps a refusal, which stands beside the content', () => {
  const messages = [
    user,
    { role: 'assistant', content: null, refusal: 'I cannot help.' },
    { role: 'user', content: 'why?' },
  ];
  expect(write({ messages }).body['messages']).toEqual([
    user,
    { role: 'assistant', content: 'I cannot help.' },
    { role: 'user', content: 'why?' },
  ]);
});

it('fields of another dialect that ask for nothing are no reason to refuse a call', () => {
  expect(write({ plugins: [], web_search_options: null }).dropped).toEqual([]);
});

describe('tools', () => {
  it.each([
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
  ])('choice %j is %j', (choice, expected) => {
    expect(write({ tools: [tool], tool_choice: choice }).body['tool_choice']).toEqual(expected);
  });

  it('are called one at a time where the client wants that', () => {
    expect(write({ tools: [tool], parallel_tool_calls: false }).body['tool_choice']).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
    expect(write({ tools: [tool], tool_choice: 'required', parallel_tool_calls: false }).body['tool_choice']).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    });
  });

  it('that are allowed are the only ones shown', () => {
    const other = { type: 'function', function: { name: 'g' } };
    const choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'g' } }] },
    };
    expect(write({ tools: [tool, other], tool_choice: choice }).body).toMatchObject({
      tools: [{ name: 'g', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'auto' },
    });
  });

  it('take one object, also where the client describes a choice between several', () => {
    const parameters = {
      type: 'object',
      anyOf: [
        { properties: { path: { type: 'string' } }, required: ['path'] },
        { properties: { url: { type: 'string' } }, required: ['url'] },
      ],
    };
    expect(write({ tools: [{ type: 'function', function: { name: 'f', parameters } }] }).body['tools']).toEqual([
      {
        name: 'f',
        input_schema: { type: 'object', properties: { path: { type: 'string' }, url: { type: 'string' } } },
      },
    ]);
  });

  it('are left out when there are none', () => {
    expect(write({ tools: [], tool_choice: 'auto' }).body).not.toHaveProperty('tools');
    expect(write({ tools: [], tool_choice: 'auto' }).body).not.toHaveProperty('tool_choice');
  });

  it('that Claude can neither run nor call are left out by name', () => {
    const custom = { type: 'custom', custom: { name: 'c' } };
    const { body, dropped } = write({ tools: [custom, tool, { type: 'web_search' }], tool_choice: 'required' });
    expect(dropped).toEqual(['tools[0].c', 'tools[2].web_search']);
    expect(body).toMatchObject({ tools: [{ name: 'f' }], tool_choice: { type: 'any' } });
    const none = write({ tools: [custom], tool_choice: 'auto' }).body;
    expect(none).not.toHaveProperty('tools');
    expect(none).not.toHaveProperty('tool_choice');
  });

  it('are refused by name where the call requires one that Claude can neither run nor call', () => {
    const custom = { type: 'custom', custom: { name: 'c' } };
    const forced = { type: 'custom', custom: { name: 'c' } };
    expect(refusal({ tools: [tool, custom], tool_choice: forced })).toMatchObject({
      code: 'UNSUPPORTED_BY_CHANNEL',
      field: 'tools[1]',
    });
    expect(refusal({ tools: [{ type: 'web_search' }], tool_choice: 'required' })).toMatchObject({ field: 'tools' });
  });

  it('answer first, with arguments that are an object', () => {
    const call = (text: string): Json => ({ id: 'call.1', type: 'function', function: { name: 'f', arguments: text } });
    const talk = (text: string): Json => ({
      tools: [tool],
      messages: [
        user,
        { role: 'assistant', content: '', tool_calls: [call(text)] },
        { role: 'user', content: 'well?' },
        { role: 'tool', tool_call_id: 'call.1', content: '42' },
      ],
    });
    expect(write(talk('')).body['messages']).toEqual([
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: '42' },
          { type: 'text', text: 'well?' },
        ],
      },
    ]);
    for (const broken of ['{"a":', '[1]', '"text"']) {
      expect(write(talk(broken)).body['messages']).toMatchObject([
        user,
        { content: [{ type: 'tool_use', input: { INVALID_JSON: broken } }] },
        { role: 'user' },
      ]);
    }
  });

  it('of the form before tools are tools', () => {
    const { body } = write({
      functions: [tool.function],
      function_call: { name: 'f' },
      messages: [
        user,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":"1"}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ],
    });
    expect(body).toMatchObject({
      tools: [{ name: 'f' }],
      tool_choice: { type: 'tool', name: 'f' },
      messages: [
        user,
        { content: [{ type: 'tool_use', id: 'call_function_0', input: { a: '1' } }] },
        { content: [{ type: 'tool_result', tool_use_id: 'call_function_0' }] },
      ],
    });
  });
});

describe('what changes the meaning of a call', () => {
  it.each([
    [{ n: 2 }, 'n'],
    [{ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }, 'modalities'],
    [
      {
        messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }],
      },
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://e.example/a.mp4' } }] }] },
      'messages[0].content[0]',
    ],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ response_format: { type: 'json_object' }, tools: [tool] }, 'response_format'],
  ])('is refused by name: %j', (body, field) => {
    expect(refusal(body, 'claude-3-5-haiku-20241022')).toMatchObject({ code: 'UNSUPPORTED_BY_CHANNEL', field });
  });
});

describe('hints', () => {
  it('that Claude does not know are left out and named', () => {
    const { body, dropped } = write({
      seed: 1,
      frequency_penalty: 1,
      presence_penalty: 1,
      logit_bias: { '1': 1 },
      logprobs: true,
      top_logprobs: 2,
      store: true,
      metadata: { a: 'b' },
      verbosity: 'low',
      service_tier: 'flex',
    });
    expect([...dropped].sort()).toEqual([
      'frequency_penalty',
      'logit_bias',
      'logprobs',
      'metadata',
      'presence_penalty',
      'seed',
      'service_tier',
      'store',
      'top_logprobs',
      'verbosity',
    ]);
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model']);
  });

  it('that it knows by another name are carried', () => {
    const { body, dropped } = write({
      user: 'u1',
      stop: ['END', ' '],
      temperature: 1.7,
      top_k: 5,
      service_tier: 'default',
    });
    expect(body).toMatchObject({
      metadata: { user_id: 'u1' },
      stop_sequences: ['END'],
      temperature: 1,
      top_k: 5,
      service_tier: 'standard_only',
    });
    // Claude refuses blank stop texts.
    expect(dropped).toEqual(['stop']);
  });

  it('of sampling follow what the model takes', () => {
    const sampling = { temperature: 0.5, top_p: 0.5, top_k: 3 };
    expect(write(sampling, 'claude-3-5-sonnet-20241022').body).toMatchObject(sampling);
    expect(write(sampling, 'claude-sonnet-4-5')).toMatchObject({
      body: { temperature: 0.5, top_k: 3 },
      dropped: ['top_p'],
    });
    const newest = write(sampling, 'claude-opus-4-7');
    expect(newest.dropped).toEqual(['temperature', 'top_p', 'top_k']);
    expect(newest.body).not.toHaveProperty('temperature');
  });
});

describe('messages', () => {
  it('begin with the user, are never empty, and come in turns', () => {
    const { body } = write({
      messages: [
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: '' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: '' },
          ],
        },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'so far ' },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: '...' }] },
      { role: 'assistant', content: 'Hello' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'so far' },
    ]);
  });

  it('of the system are one text, in blocks where something is to be cached', () => {
    const system = { role: 'system', content: 'S' };
    const developer = { role: 'developer', content: [{ type: 'text', text: 'D' }] };
    expect(write({ messages: [system, user, developer] }).body['system']).toBe('S\n\nD');
    const cached = {
      role: 'system',
      content: [{ type: 'text', text: 'C', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    };
    expect(write({ messages: [system, cached, user] }).body['system']).toEqual([
      { type: 'text', text: 'S' },
      { type: 'text', text: 'C', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
  });

  it('carry pictures and documents as what their bytes are', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'https://e.example/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,/9j/AAAA' } },
      { type: 'image_url', image_url: { url: 'R0lGODAAAA==' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      {
        type: 'file',
        file: { filename: 'a.txt', file_data: `data:text/plain;base64,${Buffer.from('text').toString('base64')}` },
      },
    ];
    expect(write({ messages: [{ role: 'user', content }] }).body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'url', url: 'https://e.example/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/AAAA' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'R0lGODAAAA==' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'text' }, title: 'a.txt' },
        ],
      },
    ]);
  });

  it('carry no addresses to hosts of Claude that do not fetch', () => {
    const hosted = messagesProvider({ ...defaultClaudeSettings, remoteMedia: false });
    const content = [{ type: 'image_url', image_url: { url: 'https://e.example/a.png' } }];
    const request = clients['openai-chat'].parse({
      body: { messages: [{ role: 'user', content }] },
      model: 'claude-x',
    });
    expect(hosted.fetches?.('https://e.example/a.png')).toBe(false);
    expect(() => hosted.write(request)).toThrow(expect.objectContaining({ field: 'messages[0].content[0]' }));
  });

  it('send thoughts back with their proof, and say so when there is none', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
    const hidden = { type: 'redacted_thinking', data: 'eA==' };
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const proven = write({
      tools: [tool],
      messages: [
        user,
        { role: 'assistant', content: null, thinking_blocks: [thought, hidden], tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
      ],
    });
    expect(proven.body['messages']).toMatchObject([
      user,
      { content: [thought, hidden, { type: 'tool_use', id: 'c1' }] },
      {},
    ]);
    const bare = write({ messages: [user, { role: 'assistant', content: 'a', reasoning_content: 'hm' }, user] });
    expect(bare.dropped).toEqual(['messages.reasoning_content']);
    expect(bare.body['messages']).toEqual([user, { role: 'assistant', content: 'a' }, user]);
  });
});
