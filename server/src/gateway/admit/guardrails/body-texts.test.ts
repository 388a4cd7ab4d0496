import { turnsDuring } from '../../../../../tests/support/growth.js';
import { bodyTexts, textsAtOnce, withTexts } from './body-texts.js';

const secret = 'anna@example.org';
const gemini = {
  contents: [
    { role: 'model', parts: [{ functionCall: { name: 'find', args: { data: { mail: secret } } } }] },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'find', response: { status: { text: secret }, data: [{ id: 7, note: secret }] } } },
      ],
    },
  ],
};
const anthropic = {
  model: 'claude',
  messages: [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call', name: 'save', input: { format: { note: secret } } }],
    },
    { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }] },
  ],
};

const textDocument = {
  messages: [
    { role: 'user', content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: secret } }] },
  ],
};

it.each([
  ['arguments and results of functions of Gemini', gemini, 3],
  ['the input of a tool of Anthropic', anthropic, 1],
  ['a document of Anthropic that is text', textDocument, 1],
])('finds texts below names of the protocol: %s', async (_name, body, count) => {
  const texts = await bodyTexts(body);
  expect(texts.filter((text) => text === secret)).toHaveLength(count);
  const masked = await withTexts(
    body,
    texts.map(() => '[email]'),
  );
  expect(JSON.stringify(masked)).toBe(JSON.stringify(body).replaceAll(secret, '[email]'));
});

it('leaves media, names and types as they are', async () => {
  const body = {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] }],
    tools: [{ type: 'function', function: { name: 'find', parameters: { type: ['object', 'null'], properties: {} } } }],
  };
  expect(await bodyTexts(body)).toEqual([]);
});

it('keeps sound, and finds the prompt of its transcription', async () => {
  const event = { audio: 'UklG', session: { audio: { input: { transcription: { prompt: secret } } } } };
  expect(await bodyTexts(event, new Set(['audio']))).toEqual([secret]);
  expect(textsAtOnce(event, new Set(['audio']))).toEqual([secret]);
});

it('finds the texts of all fields of documents to rank, and masks them', async () => {
  const body = {
    query: { url: 'a' },
    documents: ['b', { id: 'c', data: 'd', url: ['e'], more: { data: { name: 'f' } } }],
  };
  expect(await bodyTexts(body)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(await withTexts(body, ['1', '2', '3', '4', '5', '6'])).toEqual({
    query: { url: '1' },
    documents: ['2', { id: '3', data: '4', url: ['5'], more: { data: { name: '6' } } }],
  });
});

it('keeps names of the protocol below a parameter or an argument that has the name of a field to rank', async () => {
  const query = { type: 'string', description: 'a' };
  const body = {
    tools: [{ input_schema: { type: 'object', properties: { query, documents: { type: 'array' } } } }],
    messages: [{ content: [{ type: 'tool_use', id: 'b', input: { documents: [{ url: 'c', text: 'd' }] } }] }],
  };
  expect(await bodyTexts(body)).toEqual(['a', 'd']);
});

it('copies only what changes', async () => {
  const body = { messages: [{ content: 'a' }, { content: [{ text: 'b' }] }], metadata: { note: 'c' } };
  const changed = await withTexts(body, ['a', '[b]', 'c']);
  expect(changed).toEqual({ messages: [{ content: 'a' }, { content: [{ text: '[b]' }] }], metadata: { note: 'c' } });
  expect(changed.messages[0]).toBe(body.messages[0]);
  expect(changed.metadata).toBe(body.metadata);
  expect(await withTexts(body, ['a', 'b', 'c'])).toBe(body);
});

it('finds texts as deep as a body may be nested', async () => {
  let body: unknown = secret;
  for (let depth = 0; depth < 127; depth++) body = depth % 2 ? [body] : { content: body };
  expect(await bodyTexts(body)).toEqual([secret]);
});

it('lets other calls go on while it walks through the largest body', async () => {
  const body = { input: Array.from({ length: 200_000 }, () => ['a']) };
  let texts: string[] = [];
  expect(await turnsDuring(async () => (texts = await bodyTexts(body)))).toBeGreaterThan(30);
  texts[199_999] = 'b';
  expect(await turnsDuring(async () => withTexts(body, texts))).toBeGreaterThan(30);
});
