/** Ids by which a provider finds what it keeps for an account that several users share. */
import { ProviderIdRetention } from '../../server/src/gateway/route/affinity/provider-id.jobs.js';
import { idPaths } from '../../server/src/dialects/languages/provider-ids.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { eventually } from '../support/task-site.js';
import { events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { RelayHarness, type ChannelSpec } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let count = 0;

/** A clock that the tests move ahead, so that they need not wait for the hour in which the content of a response is kept. */
let ahead = 0;
const clock = { now: () => Date.now() + ahead };

relaySuite((started) => (relay = started), { clock, values: { ModelPrice: { 'gpt-image-1': 0.04 } } });
beforeEach(() => (ahead = 0));

type Json = Record<string, unknown>;
type Key = Awaited<ReturnType<RelayHarness['addToken']>>;

const message = (id: string, content: Json = {}): Json => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello', annotations: [], ...content }],
});
const responseOf = (id: string, output: readonly Json[] = []): Json => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-4o',
  output: [...output, message(`msg_of_${id}`)],
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
});
const claude = (more: Json = {}): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
  ...more,
});
const gemini: Json = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const completion: Json = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};

interface Dialect {
  readonly path: string;
  readonly channel: ChannelSpec;
  readonly reply: Json;
  /** The smallest valid body. */
  readonly body: Json;
}

const dialects = {
  responses: {
    path: '/v1/responses',
    channel: { type: 1 },
    reply: responseOf('resp_of_b'),
    body: { model: 'gpt-4o', input: 'hi' },
  },
  chat: {
    path: '/v1/chat/completions',
    channel: { type: 1 },
    reply: completion,
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
  },
  chatOfGemini: {
    path: '/v1/chat/completions',
    channel: { type: 24, models: 'gemini-2.5-flash' },
    reply: gemini,
    body: { model: 'gemini-2.5-flash', messages: [{ role: 'user', content: 'hi' }] },
  },
  messages: {
    path: '/v1/messages',
    channel: { type: 14, models: 'claude-sonnet-4-5' },
    reply: claude(),
    body: { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] },
  },
  generate: {
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    channel: { type: 24, models: 'gemini-2.5-flash' },
    reply: gemini,
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  },
  interactions: {
    path: '/v1beta/interactions',
    channel: { type: 24, models: 'gemini-2.5-flash' },
    reply: { id: 'v1_1', status: 'completed', steps: [], usage: { total_input_tokens: 1, total_output_tokens: 1 } },
    body: { model: 'gemini-2.5-flash', input: 'hi' },
  },
  object: {
    path: '/v1/conversations',
    channel: { type: 1 },
    reply: {},
    body: {},
  },
  imageEdits: {
    path: '/v1/images/edits',
    channel: { type: 1, models: 'gpt-image-1' },
    reply: { created: 1, data: [{ b64_json: 'AA==' }] },
    body: { model: 'gpt-image-1', prompt: 'a hat', images: [{ image_url: 'https://images.example/1.png' }] },
  },
} satisfies Record<string, Dialect>;

const input = (item: Json): Json => ({ input: [item, { role: 'user', content: 'hi' }] });
const userPart = (part: Json): Json => ({ input: [{ role: 'user', content: [part] }] });
const tool = (more: Json): Json => ({ tools: [more] });
const block = (each: Json): Json => ({ messages: [{ role: 'user', content: [each] }] });
/** The output of a tool search, whose tools the model may call. */
const searched = (each: Json): Json =>
  input({ type: 'tool_search_output', call_id: 'c', execution: 'server', status: 'completed', tools: [each] });
const parts = (part: Json): Json => ({ contents: [{ role: 'user', parts: [part, { text: 'hi' }] }] });

/** Every field in which a client names an object that a provider keeps. `id` is text in the format of the field. */
const fields: ReadonlyArray<readonly [field: string, dialect: keyof typeof dialects, body: (id: unknown) => Json]> = [
  ['previous_response_id', 'responses', (id) => ({ previous_response_id: id })],
  ['conversation', 'responses', (id) => ({ conversation: id })],
  ['conversation.id', 'responses', (id) => ({ conversation: { id } })],
  ['prompt.id', 'responses', (id) => ({ prompt: { id } })],
  [
    'prompt.variables.doc.file_id',
    'responses',
    (id) => ({ prompt: { variables: { doc: { type: 'input_file', file_id: id } } } }),
  ],
  ['input[0].id', 'responses', (id) => input({ type: 'item_reference', id })],
  ['input[0].id', 'responses', (id) => input({ id })],
  ['input[0].id', 'responses', (id) => input({ type: 'image_generation_call', id })],
  ['input[0].id', 'responses', (id) => input({ type: 'reasoning', id, summary: [] })],
  ['input[0].content[0].file_id', 'responses', (id) => userPart({ type: 'input_file', file_id: id })],
  ['input[0].content[0].file_id', 'responses', (id) => userPart({ type: 'input_image', file_id: id })],
  [
    'input[0].output[0].file_id',
    'responses',
    (id) => input({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', file_id: id }] }),
  ],
  [
    'input[0].output.file_id',
    'responses',
    (id) => input({ type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', file_id: id } }),
  ],
  [
    'input[0].container_id',
    'responses',
    (id) => input({ type: 'code_interpreter_call', id: 'ci_1', code: '', container_id: id, outputs: [] }),
  ],
  ['tools[0].container', 'responses', (id) => tool({ type: 'code_interpreter', container: id })],
  [
    'tools[0].container.file_ids[0]',
    'responses',
    (id) => tool({ type: 'code_interpreter', container: { type: 'auto', file_ids: [id] } }),
  ],
  [
    'tools[0].environment.container_id',
    'responses',
    (id) => tool({ type: 'shell', environment: { type: 'container_reference', container_id: id } }),
  ],
  ['tools[0].vector_store_ids[0]', 'responses', (id) => tool({ type: 'file_search', vector_store_ids: [id] })],
  [
    'tools[0].input_image_mask.file_id',
    'responses',
    (id) => tool({ type: 'image_generation', input_image_mask: { file_id: id } }),
  ],
  [
    'input[0].tools[0].vector_store_ids[0]',
    'responses',
    (id) => searched({ type: 'file_search', vector_store_ids: [id] }),
  ],
  ['input[0].tools[0].container', 'responses', (id) => searched({ type: 'code_interpreter', container: id })],
  [
    'input[0].tools[0].container.file_ids[0]',
    'responses',
    (id) =>
      input({
        type: 'additional_tools',
        tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [id] } }],
      }),
  ],
  ['tools[0].collection_ids[0]', 'responses', (id) => tool({ type: 'file_search', collection_ids: [id] })],
  ['messages[0].content[0].file_id', 'chat', (id) => block({ type: 'file', file_id: id })],
  ['audio.voice.id', 'chat', (id) => ({ modalities: ['text', 'audio'], audio: { format: 'wav', voice: { id } } })],
  ['google.cached_content', 'chatOfGemini', (id) => ({ google: { cached_content: id } })],
  ['google.cachedContent', 'chatOfGemini', (id) => ({ google: { cachedContent: id } })],
  ['extra_body.google.cached_content', 'chatOfGemini', (id) => ({ extra_body: { google: { cached_content: id } } })],
  ['messages[0].content[0].file.file_id', 'chat', (id) => block({ type: 'file', file: { file_id: id } })],
  ['messages[0].audio.id', 'chat', (id) => ({ messages: [{ role: 'assistant', audio: { id } }] })],
  ['thread.previous_message_id', 'messages', (id) => ({ thread: { type: 'continue', previous_message_id: id } })],
  ['container', 'messages', (id) => ({ container: id })],
  ['container.id', 'messages', (id) => ({ container: { id } })],
  [
    'container.skills[0].skill_id',
    'messages',
    (id) => ({ container: { skills: [{ type: 'custom', skill_id: id, version: 'latest' }] } }),
  ],
  [
    'messages[0].content[0].source.file_id',
    'messages',
    (id) => block({ type: 'document', source: { type: 'file', file_id: id } }),
  ],
  ['messages[0].content[0].file_id', 'messages', (id) => block({ type: 'container_upload', file_id: id })],
  ['cachedContent', 'generate', (id) => ({ cachedContent: id })],
  ['cached_content', 'generate', (id) => ({ cached_content: id })],
  [
    'contents[0].parts[0].fileData.fileUri',
    'generate',
    (id) => parts({ fileData: { fileUri: typeof id === 'string' ? `files/${id}` : id } }),
  ],
  [
    'contents[0].parts[0].file_data.file_uri',
    'generate',
    (id) => {
      const address = 'https://generativelanguage.googleapis.com/v1beta/files/';
      return parts({ file_data: { file_uri: typeof id === 'string' ? address + id : id } });
    },
  ],
  ['images[0].file_id', 'imageEdits', (id) => ({ images: [{ file_id: id }] })],
  ['mask.file_id', 'imageEdits', (id) => ({ mask: { file_id: id } })],
];

async function send(dialect: keyof typeof dialects, key: Key, more: Json): Promise<{ status: number; text: string }> {
  const { path, body } = dialects[dialect];
  const response = await relay.post(path, key.key, { ...body, ...more });
  return { status: response.status, text: await response.text() };
}

describe.each(fields)('%s of %s', (field, dialect, bodyOf) => {
  it('is refused where the account is shared, and passes at a channel of the caller', async () => {
    const { channel, reply } = dialects[dialect];
    relay.upstream.script({}, json(reply));
    await relay.addChannel(channel);
    const key = await relay.addToken();
    const more = bodyOf('id_of_another');
    const refused = await send(dialect, key, more);
    expect(refused.status).toBe(field === 'previous_response_id' ? 400 : 404);
    expect(refused.text).toContain('id_of_another');
    expect(refused.text).toContain(field === 'previous_response_id' ? 'response with id' : field);
    expect(relay.upstream.requests).toEqual([]);

    await relay.addChannel({ ...channel, key: 'sk-own', ownerId: key.userId });
    expect(await send(dialect, key, more)).toMatchObject({ status: 200 });
    expect(relay.upstream.requests).toHaveLength(1);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).toContain('id_of_another');
    expect(JSON.stringify(relay.upstream.requests[0]?.headers)).toContain('sk-own');
  });

  it('is 400 when it is not a text', async () => {
    await relay.addChannel(dialects[dialect].channel);
    const key = await relay.addToken();
    for (const id of [7, ['id_of_another'], { id: 'id_of_another' }, true]) {
      // These fields may be objects, whose own fields are checked separately.
      if (typeof id === 'object' && !Array.isArray(id) && /^(?:conversation|container|.*\.container)$/.test(field))
        continue;
      const { status, text } = await send(dialect, key, bodyOf(id));
      expect([id, status]).toEqual([id, 400]);
      expect(text).toContain(field.split(/[.[]/).at(-1)?.replace(/\d*\]/, '') ?? '');
    }
    expect(relay.upstream.requests).toEqual([]);
  });
});

const partTypes: Readonly<Record<string, string>> = {
  'chat file_id': 'file',
  'messages file_id': 'container_upload',
  'responses file_id': 'input_file',
  'responses file_url': 'input_file',
  'responses image_url': 'input_image',
  'messages source': 'document',
  'messages content[]': 'tool_result',
};
const toolTypes: Readonly<Record<string, string>> = {
  container: 'code_interpreter',
  environment: 'shell',
  'vector_store_ids[]': 'file_search',
  'collection_ids[]': 'file_search',
  input_image_mask: 'image_generation',
  'tools[]': 'namespace',
};
const itemOf: Readonly<Record<string, Json>> = {
  id: { type: 'item_reference' },
  'content[]': { type: 'message', role: 'user' },
  'output[]': { type: 'function_call_output', call_id: 'c' },
  output: { type: 'computer_call_output', call_id: 'c' },
  container_id: { type: 'code_interpreter_call', id: 'ci', code: '', outputs: [] },
  environment: { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
  'tools[]': { type: 'tool_search_output', call_id: 'c' },
};

/**
 * Returns fields without which an object would be malformed.
 * @param at path of the object
 * @param name of the field by which an id follows
 */
function besideOf(dialect: string, at: string, name: string): Json {
  if (/messages\[\]$/.test(at)) return name === 'audio' ? { role: 'assistant' } : { role: 'user' };
  if (/contents\[\]$/.test(at)) return { role: 'user' };
  if (/function_?response$/i.test(at)) return { name: 'f', response: {} };
  if (/(?:input|items)\[\]$/.test(at)) return itemOf[name] ?? {};
  if (/tools\[\]$/.test(at) && dialect === 'responses') return { type: toolTypes[name] ?? 'code_interpreter' };
  if (/environment$/.test(at)) return { type: name === 'container_id' ? 'container_reference' : 'container_auto' };
  if (/source$/.test(at)) return { type: name === 'file_id' ? 'file' : name === 'url' ? 'url' : 'content' };
  if (/content\[\]$/.test(at)) return { type: partTypes[`${dialect} ${name}`] ?? name, tool_use_id: 't' };
  return {};
}

const stored = /(?:\.ur[il]|image_url|file_url|file_?uri)$/i;
const ofText = /(?:\.content|\.text)$/;
const geminiFile = 'https://generativelanguage.googleapis.com/v1beta/files/id_of_another';

/** Returns the smallest body with an id at a path. */
function bodyAt(path: string, id: string, at: string): Json {
  const [name = '', ...rest] = path.split('.');
  const inner: unknown = rest.length > 0 ? bodyAt(rest.join('.'), id, `${at}.${name}`) : id;
  const key = name.replace(/\[\]$/, '').replace('*', 'doc');
  return { ...besideOf(at.split('.')[0] ?? '', at, name), [key]: name.endsWith('[]') ? [inner] : inner };
}

const everyPath = Object.entries(idPaths)
  .filter(([dialect]) => dialect !== 'event')
  .map(([dialect, paths]) => [dialect as keyof typeof dialects, paths] as const);

it.each(everyPath)('every field of %s that can name an object of the account is refused', async (dialect, paths) => {
  await relay.addChannel(dialects[dialect].channel);
  const key = await relay.addToken();
  const passed: string[] = [];
  for (const [path] of paths) {
    if (path === 'input.**.arguments') continue;
    const id = stored.test(path) ? geminiFile : ofText.test(path) ? 'fileid://id_of_another' : 'id_of_another';
    const body = bodyAt(path.replace('input.**', 'input[].content[].result[]'), id, dialect);
    // A result of a function follows its call.
    const called = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] };
    if (/function_?response/i.test(path)) body['contents'] = [called, ...(body['contents'] as Json[])];
    const { status, text } = await send(dialect, key, body);
    const isRefused =
      (status === 404 || status === 400) && /unknown_id|not known|previous_response_not_found/.test(text);
    if (!isRefused) passed.push(`${path}: ${status} ${text}`);
  }
  expect(passed).toEqual([]);
  expect(relay.upstream.requests).toEqual([]);
});

it.each<[dialect: string, path: string, body: Json]>([
  ['chat', '/v1/chat/completions', block({ type: 'image_url', image_url: { url: geminiFile } })],
  [
    'messages',
    '/v1/messages',
    { max_tokens: 9, ...block({ type: 'document', source: { type: 'url', url: geminiFile } }) },
  ],
  ['responses', '/v1/responses', userPart({ type: 'input_file', file_url: geminiFile })],
])('a file of Gemini is refused in %s, which becomes a request of Gemini', async (_dialect, path, body) => {
  await relay.addChannel(dialects.chatOfGemini.channel);
  const { key } = await relay.addToken();
  const response = await relay.post(path, key, { model: 'gemini-2.5-flash', ...body });
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('id_of_another') as string]);
  expect(relay.upstream.requests).toEqual([]);
});

describe('a text of a chat', () => {
  const system = (content: unknown): Json => ({
    messages: [
      { role: 'system', content },
      { role: 'user', content: 'hi' },
    ],
  });

  // Qwen-Long reads the files that a message names (https://help.aliyun.com/en/model-studio/long-context-qwen-long,
  // November 2026).
  it.each([
    ['a file', system('fileid://file-fe-1')],
    ['several files', system('fileid://file-fe-1,fileid://file-fe-2')],
    ['files on lines of their own', system(' fileid://file-fe-1,\n fileid://file-fe-2 ')],
    ['a file in a part', system([{ type: 'text', text: 'fileid://file-fe-1' }])],
  ])('names %s, which is refused', async (_name, more) => {
    await relay.addChannel(dialects.chat.channel);
    const { status, text } = await send('chat', await relay.addToken(), more);
    expect([status, text]).toEqual([404, expect.stringContaining('unknown_id') as string]);
    expect(relay.upstream.requests).toEqual([]);
  });

  it.each([
    'oss://bucket/a.txt how do I download this?',
    'oss://bucket/a.txt',
    'ms://settings',
    'fileid://file-fe-1 is refused, why?',
    `${geminiFile}\n{"name":"files/id_of_another"}`,
    geminiFile,
  ])('may begin with the address of a file: %s', async (text) => {
    await relay.addChannel(dialects.chat.channel);
    relay.upstream.script({}, json(completion));
    const messages = [
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: text },
      { role: 'user', content: [{ type: 'text', text }] },
    ];
    expect(await send('chat', await relay.addToken(), { messages })).toMatchObject({ status: 200 });
    expect(relay.upstream.requests[0]?.body).toMatchObject({ messages });
  });
});

// Google's own examples have objects in place of lists (https://ai.google.dev/gemini-api/docs/text-generation, November 2026).
it.each<[dialect: keyof typeof dialects, field: string, body: Json]>([
  [
    'generate',
    'contents.parts.fileData.fileUri',
    { contents: { parts: { fileData: { fileUri: 'files/id_of_another' } } } },
  ],
  [
    'generate',
    'contents[0].parts.fileData.fileUri',
    { contents: [{ role: 'user', parts: { fileData: { fileUri: 'files/id_of_another' } } }] },
  ],
  [
    'generate',
    'systemInstruction.parts.file_data.file_uri',
    { systemInstruction: { parts: { file_data: { file_uri: 'files/id_of_another' } } } },
  ],
  [
    'responses',
    'input[0].content.file_id',
    { input: [{ role: 'user', content: { type: 'input_file', file_id: 'id_of_another' } }] },
  ],
  [
    'chat',
    'messages[0].content.file.file_id',
    { messages: [{ role: 'user', content: { type: 'file', file: { file_id: 'id_of_another' } } }] },
  ],
])('an object in place of a list hides no id: %s, %s', async (dialect, field, body) => {
  await relay.addChannel(dialects[dialect].channel);
  const { status, text } = await send(dialect, await relay.addToken(), body);
  expect([status, text]).toEqual([404, expect.stringContaining(`id_of_another' in ${field}`)]);
  expect(relay.upstream.requests).toEqual([]);
});

// JSON may contain a field `__proto__`, which providers ignore. Copied by an assignment, it would be the prototype of the copy.
it.each([
  '{"__proto__":{"google":{"cached_content":"id_of_another"}}}',
  '{"__proto__":{"extra_body":{"google":{"cachedContent":"id_of_another"}}}}',
  '{"extra_body":{"__proto__":{"google":{"cached_content":"id_of_another"}}}}',
  '{"extra_body":{"google":{"__proto__":{"cached_content":"id_of_another"}}}}',
  '{"google":{"__proto__":{"cachedContent":"id_of_another"}}}',
])('a prototype brings no id to Google: %s', async (text) => {
  await relay.addChannel(dialects.chatOfGemini.channel);
  relay.upstream.script({}, json(dialects.chatOfGemini.reply));
  expect(await send('chatOfGemini', await relay.addToken(), JSON.parse(text) as Json)).toMatchObject({ status: 200 });
  expect(relay.upstream.requests[0]?.rawBody.toString()).not.toContain('id_of_another');
});

it('an address of the web in one spelling hides no id in the other', async () => {
  await relay.addChannel(dialects.generate.channel);
  const files = { fileUri: 'https://example.com/a.png', file_uri: 'files/id_of_another' };
  const { status, text } = await send('generate', await relay.addToken(), parts({ fileData: files }));
  expect([status, text]).toEqual([
    404,
    expect.stringContaining("id_of_another' in contents[0].parts[0].fileData.file_uri"),
  ]);
  expect(relay.upstream.requests).toEqual([]);
});

const image = { type: 'image', uri: geminiFile };
it.each<[field: string, input: unknown]>([
  ['input.uri', image],
  ['input[0].uri', [image]],
  ['input.content[0].uri', { type: 'user_input', content: [image] }],
  ['input[0].content.uri', [{ type: 'user_input', content: image }]],
  [
    'input.result[0].uri',
    { type: 'function_result', call_id: 'c', result: [{ ...image, uri: 'files/id_of_another' }] },
  ],
  ['input[0].content[0].result[0].uri', [{ role: 'user', content: [{ type: 'function_result', result: [image] }] }]],
  ['input[0].result.content[0].uri', [{ type: 'mcp_server_tool_result', call_id: 'c', result: { content: [image] } }]],
  ['input[0].summary[0].uri', [{ type: 'thought', signature: 's', summary: [image] }]],
])('a file of the account is refused in %s of an interaction', async (field, input) => {
  await relay.addChannel(dialects.interactions.channel);
  const { status, text } = await send('interactions', await relay.addToken(), { input });
  expect([status, text]).toEqual([404, expect.stringContaining(`id_of_another' in ${field}`)]);
  expect(relay.upstream.requests).toEqual([]);
});

it('an interaction may name files of the web, and others in the arguments of a function', async () => {
  await relay.addChannel(dialects.interactions.channel);
  relay.upstream.script({}, json(dialects.interactions.reply));
  const input = [
    { type: 'user_input', content: [{ type: 'image', uri: 'https://images.example/1.png' }] },
    { type: 'function_call', id: 'c', name: 'read', arguments: { uri: 'files/report.txt', files: [{ uri: 7 }] } },
    { type: 'function_result', call_id: 'c', result: 'files/report.txt' },
  ];
  expect(await send('interactions', await relay.addToken(), { input })).toMatchObject({ status: 200 });
  expect(relay.upstream.requests[0]?.body).toMatchObject({ input });
});

it('an object in place of all items is refused, as OpenAI refuses it', async () => {
  await relay.addChannel(dialects.responses.channel);
  const input = { type: 'item_reference', id: 'id_of_another' };
  const { status, text } = await send('responses', await relay.addToken(), { input });
  expect([status, text]).toEqual([400, expect.stringContaining('input must be text or a list')]);
  expect(relay.upstream.requests).toEqual([]);
});

// Calls to the user's own account are refused for these fields too, unless the price of the tool is known.
it.each<[field: string, retrieval: Json]>([
  ['vertexAiSearch.datastore', { vertexAiSearch: { datastore: 'id_of_another' } }],
  ['vertexAiSearch.engine', { vertexAiSearch: { engine: 'id_of_another' } }],
  [
    'vertex_rag_store.rag_resources[0].rag_corpus',
    { vertex_rag_store: { rag_resources: [{ rag_corpus: 'id_of_another' }] } },
  ],
])('a data store of the account is refused in %s', async (field, retrieval) => {
  await relay.addChannel(dialects.generate.channel);
  const { status, text } = await send('generate', await relay.addToken(), tool({ retrieval }));
  expect([status, text]).toEqual([404, expect.stringContaining(`'id_of_another' in tools[0].retrieval.${field}`)]);
  expect(relay.upstream.requests).toEqual([]);
});

describe('a response of a user', () => {
  let given: string;
  let ann: Key;
  let bob: Key;
  beforeEach(async () => {
    given = `resp_${++count}`;
    await relay.addChannel({ type: 1, key: 'sk-a' });
    [ann, bob] = [await relay.addToken(), await relay.addToken()];
    relay.upstream.script({}, json(responseOf(given)), json(responseOf(`${given}_next`)));
    expect(await send('responses', ann, {})).toMatchObject({ status: 200 });
  });
  const goOn = (key: Key): Promise<{ status: number; text: string }> =>
    send('responses', key, { previous_response_id: given });

  it('is continued by its own key alone, after its content is gone', async () => {
    ahead = 2 * 3600 * 1000;
    expect(await goOn(bob)).toMatchObject({
      status: 400,
      text: expect.stringContaining('previous_response_not_found') as string,
    });
    expect(relay.upstream.requests).toHaveLength(1);
    expect(await goOn(ann)).toMatchObject({ status: 200 });
    expect(relay.upstream.requests[1]?.body).toMatchObject({ previous_response_id: given });
  });

  it('is not continued by another key of the same user, and an item of it is not either', async () => {
    const other = await relay.addToken({ userId: ann.userId });
    expect((await goOn(other)).status).toBe(400);
    const reference = input({ type: 'item_reference', id: `msg_of_${given}` });
    expect((await send('responses', other, reference)).status).toBe(404);
    expect((await send('responses', bob, reference)).status).toBe(404);
    expect((await send('responses', ann, reference)).status).toBe(200);
  });

  it('is forgotten after 30 days, when providers have deleted it', async () => {
    ahead = 29 * 86_400_000;
    expect((await goOn(ann)).status).toBe(200);
    ahead = 31 * 86_400_000;
    expect((await goOn(ann)).status).toBe(400);
  });

  it('is known on another node without shared state, as after a restart', async () => {
    await relay.idle();
    const node = await RelayHarness.start({ beside: relay, state: new MemoryState() });
    try {
      node.upstream.script({}, json(responseOf(`${given}_next`)));
      const body = { model: 'gpt-4o', input: 'hi', previous_response_id: given };
      expect((await node.post('/v1/responses', bob.key, body)).status).toBe(400);
      expect((await node.post('/v1/responses', ann.key, body)).status).toBe(200);
    } finally {
      await node.stop();
    }
  });

  it('is deleted within an hour after that', async () => {
    const countOf = async (): Promise<number> =>
      (await relay.sql('SELECT 1 FROM provider_ids WHERE user_id = $1', [ann.userId])).length;
    const drop = async (): Promise<void> => {
      const database = { query: (text: string, values?: unknown[]) => relay.dataSource.query(text, values) as never };
      const state = new MemoryState();
      await new ProviderIdRetention({ database, state, nodeId: 'one', clock: systemClock, logger: console }).drop();
    };
    // The rows are written in the background.
    await eventually(countOf, (count) => count === 2);
    await drop();
    expect(await countOf()).toBe(2);
    await relay.sql('UPDATE provider_ids SET expires_at = expires_at - 31 * 86400 WHERE user_id = $1', [ann.userId]);
    await drop();
    expect(await countOf()).toBe(0);
  });

  it('is not kept in readable form', async () => {
    const rows = await eventually(
      () => relay.sql(`SELECT provider_ids::text AS row FROM provider_ids WHERE user_id = $1`, [ann.userId]),
      ({ length }) => length > 1,
    );
    expect(JSON.stringify(rows)).not.toContain(given);
  });
});

describe('files and containers that a response names', () => {
  it('belong to all keys of the user, at the account that made them', async () => {
    for (let index = 0; index < 4; index++) await relay.addChannel({ type: 1, key: `sk-a${index},sk-b${index}` });
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    const annKey = await relay.addToken({ userId: ann.userId });
    const [container, file] = [`cntr_${++count}`, `cfile_${count}`];
    const citation = { type: 'container_file_citation', container_id: container, file_id: file };
    const made = responseOf(`resp_${count}`, [
      { type: 'code_interpreter_call', id: `ci_${count}`, container_id: container, code: '', outputs: [] },
      message(`msg_${count}`, { annotations: [citation] }),
    ]);
    const completed = JSON.stringify({ type: 'response.completed', response: { ...made, store: false } });
    relay.upstream.script({}, events([completed], { done: false }), json(responseOf(`resp_next_${count}`)));
    expect((await send('responses', ann, { stream: true, store: false })).status).toBe(200);
    const more = {
      ...userPart({ type: 'input_file', file_id: file }),
      ...tool({ type: 'code_interpreter', container }),
    };
    expect((await send('responses', bob, more)).status).toBe(404);
    for (let turn = 0; turn < 6; turn++) expect((await send('responses', annKey, more)).status).toBe(200);
    const [first, ...rest] = relay.upstream.requests.map(({ key }) => key);
    expect(rest).toEqual(rest.map(() => first));
    // The provider stores neither the response nor its items.
    expect((await send('responses', ann, { previous_response_id: `resp_${count}` })).status).toBe(400);
    expect((await send('responses', ann, input({ type: 'item_reference', id: `msg_${count}` }))).status).toBe(404);
  });

  const result = (file: string): Json => ({
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'bash_code_execution_result', content: [{ type: 'bash_code_execution_output', file_id: file }] },
  });
  const streamOf = (container: string, file: string): Reply => {
    const usage = { input_tokens: 10, output_tokens: 1 };
    return events(
      [
        { type: 'message_start', message: { ...claude(), content: [], stop_reason: null, usage } },
        { type: 'content_block_start', index: 0, content_block: result(file) },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', container: { id: container, expires_at: '2026-12-01T00:00:00Z' } },
          usage: { output_tokens: 5 },
        },
        { type: 'message_stop' },
      ].map((event) => JSON.stringify(event)),
      { done: false },
    );
  };

  it.each([false, true])('Claude’s container and its files (stream: %s)', async (stream) => {
    await relay.addChannel(dialects.messages.channel);
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    const [container, file] = [`container_${++count}`, `file_${count}`];
    const whole = json(claude({ content: [result(file)], container: { id: container } }));
    relay.upstream.script({}, stream ? streamOf(container, file) : whole, json(claude()));
    expect((await send('messages', ann, { stream })).status).toBe(200);
    const more = { ...block({ type: 'container_upload', file_id: file }), container };
    expect((await send('messages', bob, more)).status).toBe(404);
    expect((await send('messages', ann, more)).status).toBe(200);
  });
});

it.each([false, true])('audio of a chat belongs to the user who got it (stream: %s)', async (stream) => {
  await relay.addChannel({ type: 1, key: 'sk-a,sk-b' });
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const audio = { id: `audio_${++count}`, data: 'AA==', expires_at: 1, transcript: 'Hello' };
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
  const spoken = { index: 0, message: { role: 'assistant', content: null, audio }, finish_reason: 'stop' };
  const chunk = (choices: Json[], more: Json = {}): string =>
    JSON.stringify({ ...completion, object: 'chat.completion.chunk', usage: null, choices, ...more });
  const chunks = [
    chunk([{ index: 0, delta: { role: 'assistant', audio }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
  ];
  relay.upstream.script({}, stream ? events(chunks) : json({ ...completion, choices: [spoken] }), json(completion));
  const asked = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' }, stream };
  expect((await send('chat', ann, asked)).status).toBe(200);
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', audio: { id: audio.id } },
    { role: 'user', content: 'and?' },
  ];
  expect((await send('chat', bob, { messages })).status).toBe(404);
  expect((await send('chat', ann, { messages })).status).toBe(200);
  const [first, second] = relay.upstream.requests.map(({ key }) => key);
  expect([relay.upstream.requests.length, second]).toEqual([2, first]);
});

describe('a channel of one user', () => {
  it('serves and lists models for its owner alone', async () => {
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    await relay.addChannel({ type: 1, ownerId: ann.userId });
    const modelsOf = async ({ key }: Key): Promise<number> => {
      const response = await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return ((await response.json()) as { data: unknown[] }).data.length;
    };
    expect([await modelsOf(ann), await modelsOf(bob)]).toEqual([2, 0]);
    const { body } = dialects.chat;
    expect((await relay.chat(ann.key, body)).status).toBe(200);
    const refused = await relay.chat(bob.key, body);
    expect([refused.status, relay.upstream.requests.length]).toEqual([503, 1]);
    await refused.text();
  });

  it('cannot be named by the key of an admin who does not own it', async () => {
    const owner = await relay.addUser();
    const id = await relay.addChannel({ type: 1, ownerId: owner });
    const admin = await relay.addToken({ userId: await relay.addUser({ role: 'root' }) });
    const response = await relay.chat(`${admin.key}-${id}`, dialects.chat.body);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('channel_pin_forbidden')]);
  });

  it('is not the only one for its owner', async () => {
    const ann = await relay.addToken();
    await relay.addChannel({ type: 1, ownerId: ann.userId, models: 'gpt-4o-mini' });
    await relay.addChannel({ type: 1, models: 'gpt-4o' });
    expect((await relay.chat(ann.key, dialects.chat.body)).status).toBe(200);
  });
});

it('leaves ids alone that only other dialects know', async () => {
  await relay.addChannel({ type: 43 });
  const key = await relay.addToken();
  relay.upstream.script({}, json(completion));
  // The reasoning of another provider is removed from the request.
  expect((await send('responses', key, input({ type: 'reasoning', id: 'rs_1', summary: [] }))).status).toBe(200);
});

it('reads fields of functions, and of what tools were called with, as no ids', async () => {
  await relay.addChannel(dialects.messages.channel);
  const key = await relay.addToken();
  relay.upstream.script({}, json(claude()));
  const schema = { type: 'object', properties: { file_id: { type: 'string' }, container: { type: 'string' } } };
  const use = { type: 'tool_use', id: 'toolu_1', name: 'open', input: { file_id: 'x', source: { file_id: 'y' } } };
  const answer = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' };
  const more = {
    tools: [{ name: 'open', input_schema: schema }],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [answer] },
    ],
  };
  expect((await send('messages', key, more)).status).toBe(200);
});
