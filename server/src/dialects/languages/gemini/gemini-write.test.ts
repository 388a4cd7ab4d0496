import { clients, type Json } from '../../../../../tests/support/relay-dialects.js';
import { AppError } from '../../../shared/errors.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { remoteMedia, withMedia } from '../../neutral/remote-media.js';
import { defaultGeminiSettings, type GeminiSettings } from './gemini-settings.js';
import { geminiProvider } from './gemini-write.js';

const user = { role: 'user', content: 'hi' };
const tool = (name: string, more: Json = {}): Json => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { a: { type: 'string' } } }, ...more },
});

function write(model: string, body: Json, settings: Partial<GeminiSettings> = {}): WrittenRequest {
  const request = clients['openai-chat'].parse({ body: { messages: [user], ...body }, model });
  return geminiProvider({ ...defaultGeminiSettings, ...settings }).write(request);
}

const config = (model: string, body: Json, settings?: Partial<GeminiSettings>): Json =>
  (write(model, body, settings).body['generationConfig'] ?? {}) as Json;

function refusal(model: string, body: Json): AppError {
  try {
    write(model, body);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('thinking', () => {
  it.each([
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'low', { thinkingBudget: 1024, includeThoughts: true }],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8192, includeThoughts: true }],
    ['gemini-2.5-flash', 'high', { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-3-flash-preview', 'minimal', { thinkingLevel: 'minimal', includeThoughts: true }],
    ['gemini-3-pro-preview', 'none', { thinkingLevel: 'low' }],
    ['gemini-3-pro-preview', 'high', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-2.0-flash', 'high', undefined],
  ])('%s with effort %s is %j', (model, effort, expected) => {
    expect(config(model, { reasoning_effort: effort })['thinkingConfig']).toEqual(expected);
  });

  it('by a budget stays within what the model has', () => {
    const thinking = (budget: number): Json => ({ thinking: { type: 'enabled', budget_tokens: budget } });
    expect(config('gemini-2.5-pro', thinking(100_000))['thinkingConfig']).toMatchObject({ thinkingBudget: 32_768 });
    expect(config('gemini-2.5-flash', thinking(5000))['thinkingConfig']).toMatchObject({ thinkingBudget: 5000 });
    expect(config('gemini-3-pro-preview', thinking(5000))['thinkingConfig']).toMatchObject({ thinkingLevel: 'medium' });
  });

  it('is shown for the models of the list, and said by the name where the admin wants that', () => {
    const model = 'gemini-2.5-flash-preview-05-20';
    expect(config(model, {})['thinkingConfig']).toEqual({ includeThoughts: true });
    const named = write(`${model}-thinking`, { max_tokens: 1000 }, { thinkingSuffix: true });
    expect(named.model).toBe(model);
    expect(named.body['generationConfig']).toMatchObject({
      thinkingConfig: { thinkingBudget: 600, includeThoughts: true },
    });
    expect(config(`${model}-nothinking`, {}, { thinkingSuffix: true })['thinkingConfig']).toEqual({
      thinkingBudget: 0,
    });
    expect(write(`${model}-thinking`, {}).model).toBe(`${model}-thinking`);
  });
});

describe('images that the model drew', () => {
  const png = 'iVBORw0KGgo=';
  const drawn = `![image](data:image/png;base64,${png})`;
  const history = (content: unknown): Json => ({
    messages: [user, { role: 'assistant', content }, { role: 'user', content: 'now in blue' }],
  });
  const partsOf = (model: string, content: unknown): unknown =>
    (write(model, history(content)).body['contents'] as Array<{ parts: Json[] }>)[1]?.parts;

  it.each([drawn, [{ type: 'text', text: drawn }]])('are images again, not text, in the history: %j', (content) => {
    expect(partsOf('gemini-2.5-flash-image', content)).toEqual([{ inlineData: { mimeType: 'image/png', data: png } }]);
  });

  it('stand between their texts, with a word for the signature that clients do not keep', () => {
    const mimeType = 'image/png';
    expect(partsOf('gemini-3-pro-image', `one\n${drawn}\ntwo ![x](data:image/jpeg;base64,/9j/AA==)`)).toEqual([
      { text: 'one\n' },
      { inlineData: { mimeType, data: png }, thoughtSignature: 'skip_thought_signature_validator' },
      { text: '\ntwo ' },
      {
        inlineData: { mimeType: 'image/jpeg', data: '/9j/AA==' },
        thoughtSignature: 'skip_thought_signature_validator',
      },
    ]);
  });

  it.each([
    'see ![image](https://x.example/a.png)',
    '![image](data:image/png;base64,AAAA',
    '![](data:text/plain;base64,AAAA)',
    '![image](data:image/png;base64,what is this?)',
  ])('no other text is taken for one: %s', (text) => {
    expect(partsOf('gemini-2.5-flash-image', text)).toEqual([{ text }]);
  });
});

describe('names without a number', () => {
  const history = {
    messages: [
      user,
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ],
  };

  it.each(['gemini-flash-latest', 'gemini-pro-latest', 'gemini-flash-lite-latest'])(
    '%s is a model of the newest generation: levels of thinking, and a word for each missing signature',
    (model) => {
      expect(config(model, { reasoning_effort: 'high' })['thinkingConfig']).toEqual({
        thinkingLevel: 'high',
        includeThoughts: true,
      });
      const [, called] = write(model, history).body['contents'] as Array<{ parts: Json[] }>;
      expect(called?.parts[0]).toMatchObject({ thoughtSignature: 'skip_thought_signature_validator' });
    },
  );

  it.each(['nano-banana-pro-preview', 'gemini-nano-banana-2.1'])('%s draws', (model) => {
    expect(config(model, {})['responseModalities']).toEqual(['TEXT', 'IMAGE']);
    const [, called] = write(model, history).body['contents'] as Array<{ parts: Json[] }>;
    expect(called?.parts[0]).toMatchObject({ thoughtSignature: 'skip_thought_signature_validator' });
  });

  it('says nothing of older names', () => {
    expect(config('gemini-pro', { reasoning_effort: 'high' })).not.toHaveProperty('thinkingConfig');
    expect(config('gemini-1.5-flash-latest', { reasoning_effort: 'high' })).not.toHaveProperty('thinkingConfig');
  });
});

describe('tools', () => {
  it.each([
    ['auto', { mode: 'AUTO' }],
    ['required', { mode: 'ANY' }],
    ['none', { mode: 'NONE' }],
    [
      { type: 'function', function: { name: 'f' } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ function: { name: 'f' } }] } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ])('choice %j is %j', (choice, expected) => {
    expect(write('gemini-2.5-flash', { tools: [tool('f')], tool_choice: choice }).body['toolConfig']).toEqual({
      functionCallingConfig: expected,
    });
  });

  it('have an object as parameters, also where the client describes a choice between several', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const parameters = { type: 'object', properties, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(write('gemini-2.5-flash', { tools: [tool('f', { parameters })] }).body['tools']).toEqual([
      { functionDeclarations: [{ name: 'f', parameters: { type: 'object', properties } }] },
    ]);
  });

  it('that are strict are checked by Google', () => {
    expect(write('gemini-2.5-flash', { tools: [tool('f', { strict: true })] }).body['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'VALIDATED' },
    });
  });

  it('of Google are called by their names, and mix with others only from the third generation on', () => {
    const both = { tools: [tool('googleSearch'), tool('codeExecution')] };
    expect(write('gemini-2.5-flash', both).body['tools']).toEqual([{ codeExecution: {} }, { googleSearch: {} }]);
    const mixed = { tools: [tool('google_search'), tool('f')] };
    expect(refusal('gemini-2.5-flash', mixed)).toMatchObject({ code: 'UNSUPPORTED_BY_CHANNEL', field: 'tools' });
    expect(write('gemini-3-pro-preview', mixed).body['tools']).toMatchObject([
      { googleSearch: {} },
      { functionDeclarations: [{ name: 'f' }] },
    ]);
  });

  it('answer in the order they were called, whatever the order they answered in', () => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: `f_${id}`, arguments: '{}' } }));
    const messages = [
      user,
      { role: 'assistant', content: 'so', tool_calls: calls },
      { role: 'tool', tool_call_id: 'b', content: 'plain' },
      { role: 'tool', tool_call_id: 'a', content: '{"ok":1}' },
      { role: 'user', content: 'well?' },
    ];
    const contents = (callIds: boolean): unknown =>
      write('gemini-2.5-flash', { messages }, { callIds }).body['contents'];
    expect(contents(true)).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'so' },
          { functionCall: { id: 'a', name: 'f_a', args: {} } },
          { functionCall: { id: 'b', name: 'f_b', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'f_a', response: { ok: 1 } } },
          { functionResponse: { id: 'b', name: 'f_b', response: { result: 'plain' } } },
          { text: 'well?' },
        ],
      },
    ]);
    // Vertex refuses ids.
    const bare = JSON.stringify(contents(false));
    expect(bare).not.toContain('"id"');
    expect(bare.indexOf('"name":"f_a","response"')).toBeLessThan(bare.indexOf('"name":"f_b","response"'));
  });

  it('called before carry their proof of thinking, or a word that there is none', () => {
    const call = (id: string, more: Json = {}): Json => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      ...more,
    });
    const turn = (...calls: Json[]): Json => ({
      messages: [user, { role: 'assistant', content: null, tool_calls: calls }],
    });
    const parts = (model: string, body: Json): unknown =>
      (write(model, body).body['contents'] as { parts: Json[] }[])[1]?.parts.map((part) => part['thoughtSignature']);
    const proven = { extra_content: { google: { thought_signature: 'c2ln' } } };
    expect(parts('gemini-3-pro-preview', turn(call('a', proven), call('b')))).toEqual(['c2ln', undefined]);
    expect(parts('gemini-3-pro-preview', turn(call('a'), call('b')))).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
    expect(parts('gemini-2.5-flash', turn(call('a')))).toEqual([undefined]);
  });
});

describe('proof of thinking', () => {
  it('that a client of Messages keeps with the thought goes back on what followed it', () => {
    const body = {
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
            { type: 'tool_use', id: 't', name: 'f', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'done' },
            { type: 'thinking', thinking: '', signature: 'ZW5k' },
          ],
        },
      ],
    };
    const { body: sent } = geminiProvider(defaultGeminiSettings).write(
      clients['anthropic-messages'].parse({ body, model: 'gemini-3-pro-preview' }),
    );
    expect(sent['contents']).toMatchObject([
      {},
      {
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { name: 'f' }, thoughtSignature: 'c2ln' },
        ],
      },
      {},
      { parts: [{ text: 'done' }, { text: '', thoughtSignature: 'ZW5k' }] },
    ]);
  });
});

describe('messages', () => {
  it('of system and developer are one instruction', () => {
    const messages = [{ role: 'system', content: 'S' }, user, { role: 'developer', content: 'D' }];
    expect(write('gemini-2.0-flash', { messages }).body).toMatchObject({
      systemInstruction: { parts: [{ text: 'S\nD' }] },
      contents: [{ role: 'user' }],
    });
  });

  it.each([
    ['instructions alone', [{ role: 'system', content: 'S' }]],
    ['nothing', [{ role: 'user', content: '' }]],
  ])('begin with the user where the client says %s', (_what, messages) => {
    expect(write('gemini-2.5-flash', { messages }).body['contents']).toEqual([
      { role: 'user', parts: [{ text: '...' }] },
    ]);
  });

  it('carry sound and files, and addresses Google fetches', () => {
    const content = [
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'JVBERi0=' } },
      { type: 'image_url', image_url: { url: 'https://youtu.be/x' } },
      { type: 'text', text: '' },
    ];
    expect(write('gemini-2.5-flash', { messages: [{ role: 'user', content }] }).body['contents']).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          { fileData: { fileUri: 'https://youtu.be/x' } },
        ],
      },
    ]);
  });

  it('have other addresses fetched by the relay, or are refused', () => {
    const url = 'https://e.example/a.png';
    const body = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
    expect(refusal('gemini-2.5-flash', body)).toMatchObject({
      code: 'UNSUPPORTED_BY_CHANNEL',
      field: 'messages[0].content[0]',
    });
    const provider = geminiProvider(defaultGeminiSettings);
    const request = clients['openai-chat'].parse({ body, model: 'gemini-2.5-flash' });
    expect(remoteMedia(request, (address) => provider.fetches?.(address) ?? true)).toEqual([url]);
    const fetched = withMedia(request, new Map([[url, { mediaType: 'image/webp', data: 'AAAA' }]]));
    expect(provider.write(fetched).body['contents']).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/webp', data: 'AAAA' } }] },
    ]);
  });

  it('carry as many pictures as are allowed', () => {
    const content = [1, 2, 3].map(() => ({
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' },
    }));
    expect(() => write('gemini-2.5-flash', { messages: [{ role: 'user', content }] }, { imageLimit: 2 })).toThrow(
      expect.objectContaining({ field: 'messages[0].content[2]' }),
    );
    expect(write('gemini-2.5-flash', { messages: [{ role: 'user', content }] }, { imageLimit: -1 }).dropped).toEqual(
      [],
    );
  });
});

describe('what is asked beside the messages', () => {
  it('is carried by Google’s names', () => {
    expect(
      config('gemini-2.0-flash', {
        temperature: 0,
        top_p: 0.5,
        top_k: 3,
        seed: 7,
        n: 2,
        presence_penalty: 1,
        frequency_penalty: 2,
        logprobs: true,
        top_logprobs: 4,
        max_completion_tokens: 9,
        stop: 'END',
      }),
    ).toEqual({
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 7,
      candidateCount: 2,
      presencePenalty: 1,
      frequencyPenalty: 2,
      responseLogprobs: true,
      logprobs: 4,
      maxOutputTokens: 9,
      stopSequences: ['END'],
    });
  });

  it('is named where Google does not know it', () => {
    expect(
      [
        ...write('gemini-2.0-flash', { user: 'u', logit_bias: {}, metadata: { a: 1 }, store: true, verbosity: 'low' })
          .dropped,
      ].sort(),
    ).toEqual(['logit_bias', 'metadata', 'store', 'user', 'verbosity']);
    const custom = { type: 'custom', custom: { name: 'c' } };
    expect([...write('gemini-2.5-flash', { tools: [custom] }).dropped]).toEqual(['tools[0].c']);
  });

  it.each([
    ['gemini-2.5-flash-image', { n: 2 }, 'n'],
    ['gemini-2.5-flash', { modalities: ['audio'] }, 'modalities'],
    ['gemini-2.5-flash', { tools: [{ type: 'custom', custom: { name: 'c' } }], tool_choice: 'required' }, 'tools'],
    ['gemini-2.5-flash', { stop: ['1', '2', '3', '4', '5', '6'] }, 'stop'],
  ])('is refused by name where it carries meaning: %s %j', (model, body, field) => {
    expect(refusal(model, body)).toMatchObject({ code: 'UNSUPPORTED_BY_CHANNEL', field });
  });

  it('may be a picture, in a shape', () => {
    expect(config('gemini-2.5-flash-image', { image_config: { aspect_ratio: '16:9' } })).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9' },
    });
  });

  it('follows the admin’s thresholds', () => {
    const { body } = write(
      'gemini-2.0-flash',
      {},
      { safety: { default: 'BLOCK_ONLY_HIGH', HARM_CATEGORY_HARASSMENT: 'OFF' } },
    );
    expect((body['safetySettings'] as { threshold: string }[]).map(({ threshold }) => threshold)).toEqual([
      'OFF',
      'BLOCK_ONLY_HIGH',
      'BLOCK_ONLY_HIGH',
      'BLOCK_ONLY_HIGH',
      'BLOCK_ONLY_HIGH',
    ]);
  });
});

describe("fields of Google's own in a chat request", () => {
  const google = {
    thinking_config: { thinking_budget: 0, include_thoughts: false },
    image_config: { aspect_ratio: '16:9' },
    cached_content: 'cachedContents/1',
    safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }],
  };

  it.each([
    ['extra_body.google', { extra_body: { google } }],
    ['google', { google }],
  ])('in %s are the fields of generateContent', (_at, given) => {
    const { body, dropped } = write('gemini-2.5-flash', { ...given, reasoning_effort: 'high' });
    expect(body['generationConfig']).toEqual({
      thinkingConfig: { thinkingBudget: 0, includeThoughts: false },
      imageConfig: { aspectRatio: '16:9' },
    });
    expect(body['cachedContent']).toBe('cachedContents/1');
    const safety = body['safetySettings'] as Json[];
    expect(safety.filter(({ category }) => category === 'HARM_CATEGORY_HARASSMENT')).toEqual(google.safety_settings);
    expect(safety).toHaveLength(5);
    expect(dropped).toEqual([]);
  });

  it('show thoughts with the effort that is named elsewhere', () => {
    const given = { reasoning_effort: 'low', extra_body: { google: { thinking_config: { include_thoughts: false } } } };
    expect(config('gemini-3-flash-preview', given)['thinkingConfig']).toEqual({
      thinkingLevel: 'low',
      includeThoughts: false,
    });
  });

  it('without a counterpart are dropped by their names', () => {
    const given = {
      extra_body: { google: { thought_tag_marker: 'think', cached_content: null }, other: 1 },
      google: 7,
    };
    const { body, dropped } = write('gemini-2.5-flash', given);
    expect(dropped).toEqual(['extra_body.other', 'google', 'extra_body.google.thought_tag_marker']);
    expect(body).not.toHaveProperty('cachedContent');
  });
});

describe('the search of a client of Messages', () => {
  const search = (limits: Json): Json => ({ type: 'web_search_20250305', name: 'web_search', ...limits });
  const written = (limits: Json, excludesDomains: boolean): WrittenRequest => {
    const body = { max_tokens: 9, messages: [user], tools: [search(limits)] };
    const request = clients['anthropic-messages'].parse({ body, model: 'gemini-3-pro' });
    return geminiProvider({ ...defaultGeminiSettings, excludesDomains }).write(request);
  };

  it('excludes domains at Vertex, and is left out at Gemini', () => {
    const limits = { blocked_domains: ['example.com'] };
    expect(written(limits, true).body['tools']).toEqual([{ googleSearch: { excludeDomains: ['example.com'] } }]);
    expect(written(limits, false)).toMatchObject({ body: {}, dropped: ['tools[0].web_search'] });
    expect(written(limits, false).body['tools']).toBeUndefined();
  });

  it('is left out where only some domains are allowed', () => {
    expect(written({ allowed_domains: ['example.com'] }, true).body['tools']).toBeUndefined();
  });
});
