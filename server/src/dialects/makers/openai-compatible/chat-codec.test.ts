import { chatClient } from '../../languages/openai/chat-client.js';
import { responsesClient } from '../../languages/responses/responses-client.js';
import { acceptsUsual } from '../../providers/provider.js';
import { adapters, targetOfRow } from '../../../../../tests/support/relay-dialects.js';
import { acceptedChat } from './chat-codec.js';

const messages = [
  { role: 'developer', content: 'S' },
  { role: 'user', content: 'hi' },
];

it('leaves out fields of OpenAI’s accounts by the client’s names, and the role that no other provider knows', () => {
  const codec = acceptedChat({ accepts: { ...acceptsUsual, accountFields: [] }, upstreamModel: 'm' });
  const request = chatClient.parse({ body: { model: 'm', messages, store: true, user: 'u', temperature: 0.5 } });
  const { body, dropped } = codec.write(request);
  expect(JSON.parse(JSON.stringify(body))).toEqual({
    model: 'm',
    temperature: 0.5,
    messages: [{ role: 'system', content: 'S' }, messages[1]],
  });
  expect(dropped).toEqual(['store', 'user']);
});

it('names the effort as the client does', () => {
  const codec = acceptedChat({ accepts: { ...acceptsUsual, reasoningEffort: false }, upstreamModel: 'm' });
  const request = responsesClient.parse({ body: { model: 'm', input: 'hi', reasoning: { effort: 'low' } } });
  const { body, dropped } = codec.write(request);
  expect(JSON.stringify(body)).not.toContain('effort');
  expect(dropped).toContain('reasoning');
});

it.each([
  ['Spark', 18, { baseUrl: 'https://spark-api-open.xf-yun.com', key: 'k' }],
  ['Hunyuan', 23, { baseUrl: 'https://hunyuan.tencentcloudapi.com', key: 'k' }],
  ['open models of Vertex', 41, { baseUrl: '', key: '{"project_id":"p"}' }],
])('is how %s (type %i) is asked, with an end user of at most 64 characters', (_name, type, fields) => {
  const user = 'x'.repeat(100);
  const request = chatClient.parse({ body: { model: 'm', messages, user, store: false } });
  const target = { ...targetOfRow(type), ...fields, upstreamModel: 'meta/llama3', requestedModel: 'm' };
  const codec = adapters[type]?.conversation?.codec(target as never);
  const written = codec?.write(request);
  expect(written?.dropped).toEqual(['store']);
  expect((written?.body as { user: string }).user).toMatch(/^.{1,64}$/);
  expect(JSON.stringify(written?.body)).toContain('{"role":"system","content":"S"}');
});
