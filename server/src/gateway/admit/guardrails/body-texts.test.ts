import { bodyTexts, withTexts } from './body-texts.js';

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
])('finds texts below names of the protocol: %s', (_name, body, count) => {
  expect(bodyTexts(body).filter((text) => text === secret)).toHaveLength(count);
  const masked = withTexts(
    body,
    bodyTexts(body).map(() => '[email]'),
  );
  expect(JSON.stringify(masked)).toBe(JSON.stringify(body).replaceAll(secret, '[email]'));
});

it('leaves media, names and types as they are', () => {
  const body = {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] }],
    tools: [{ type: 'function', function: { name: 'find', parameters: { type: ['object', 'null'], properties: {} } } }],
  };
  expect(bodyTexts(body)).toEqual([]);
});

it('keeps sound, and finds the prompt of its transcription', () => {
  const event = { audio: 'UklG', session: { audio: { input: { transcription: { prompt: secret } } } } };
  expect(bodyTexts(event, new Set(['audio']))).toEqual([secret]);
});
