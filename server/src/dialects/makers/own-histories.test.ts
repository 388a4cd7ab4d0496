import type { Target } from '../target.js';
import { chatClient } from '../languages/openai/chat-client.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/* Histories that agents bring from other providers, at providers without tools and with rules for the order of turns. */

type Json = Record<string, unknown>;

const targetOf = (type: number): Target =>
  targetFor({
    type,
    baseUrl: type === 18 ? '' : 'https://provider.example',
    key: type === 18 ? 'app|secret|key' : 'id|secret',
    upstreamModel: type === 18 ? 'SparkDesk-v3.5' : 'm',
    requestedModel: 'm',
    credential: 'token',
  });

function written(type: number, messages: readonly Json[]): { body: Json; dropped: readonly string[] } {
  const target = targetOf(type);
  const request = chatClient.parse({ body: { model: 'm', messages }, model: target.upstreamModel });
  const codec = adapters[type]?.conversation?.codec(target);
  if (!codec) throw new Error(`type ${type} does not converse`);
  const { body, dropped } = codec.write(request);
  return { body, dropped };
}

const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
/** Two instructions, two questions in a row, a call, an empty answer and a question behind the result. */
const history: readonly Json[] = [
  { role: 'system', content: 'S1' },
  { role: 'developer', content: 'S2' },
  { role: 'user', content: 'place' },
  { role: 'user', content: 'ask' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'text' },
  { role: 'user', content: 'more' },
  { role: 'assistant', content: '' },
  { role: 'user', content: 'end' },
];
const called = '[Tool call: read {"path":"a"}]';
const told = '[Tool result: read]\ntext\n\nmore\n\nend';

it('PaLM: instructions are the context, authors alternate', () => {
  expect(written(11, history).body['prompt']).toEqual({
    context: 'S1\n\nS2',
    messages: [
      { author: '0', content: 'place\n\nask' },
      { author: '1', content: called },
      { author: '0', content: told },
    ],
  });
});

it('ERNIE: roles alternate', () => {
  expect(written(15, history).body).toMatchObject({
    system: 'S1\n\nS2',
    messages: [
      { role: 'user', content: 'place\n\nask' },
      { role: 'assistant', content: called },
      { role: 'user', content: told },
    ],
  });
});

it('Spark: one instruction first, then roles alternate', () => {
  expect(written(18, history).body['payload']).toEqual({
    message: {
      text: [
        { role: 'system', content: 'S1\n\nS2' },
        { role: 'user', content: 'place\n\nask' },
        { role: 'assistant', content: called },
        { role: 'user', content: told },
      ],
    },
  });
});

it('Dify: a call and its result are part of the query', () => {
  const { query } = written(37, history).body;
  expect(query).toContain(`ASSISTANT: \n${called}\nUSER: \n[Tool result: read]\ntext\nUSER: \nmore\n`);
});

it('a failed call says so, and a result without its call has no name', () => {
  const { body } = written(21, [
    { role: 'user', content: 'ask' },
    { role: 'tool', tool_call_id: 'gone', content: 'text' },
  ]);
  expect(body['query']).toBe('[Tool result]\ntext');
});

it.each([11, 15, 16, 18, 21])('type %i refuses images in results by name, and does not send them', (type) => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const parts = [...history.slice(0, 5), { role: 'tool', tool_call_id: 'c1', content: [picture] }];
  expect(() => written(type, parts)).toThrow('it only accepts text');
});

describe('Hunyuan', () => {
  const turns = (messages: readonly Json[]): unknown => written(23, messages).body['Messages'];
  const assistant = {
    Role: 'assistant',
    Content: '',
    ToolCalls: [{ Id: 'c1', Type: 'function', Index: 0, Function: { Name: 'read', Arguments: '{"path":"a"}' } }],
  };

  it('has one system message first, turns that alternate, and none that is empty', () => {
    expect(turns(history)).toEqual([
      { Role: 'system', Content: 'S1\n\nS2' },
      { Role: 'user', Content: 'place\n\nask' },
      assistant,
      { Role: 'tool', ToolCallId: 'c1', Content: 'text' },
      { Role: 'assistant', Content: 'Okay' },
      { Role: 'user', Content: 'more\n\nend' },
    ]);
  });

  it('keeps several results in a row, and says that one is empty', () => {
    const second = { ...call, id: 'c2' };
    expect(
      turns([
        { role: 'user', content: 'ask' },
        { role: 'assistant', content: 'one', tool_calls: [call] },
        { role: 'assistant', content: 'two', tool_calls: [second] },
        { role: 'tool', tool_call_id: 'c1', content: '' },
        { role: 'tool', tool_call_id: 'c2', content: 'b' },
      ]),
    ).toEqual([
      { Role: 'user', Content: 'ask' },
      {
        Role: 'assistant',
        Content: 'one\n\ntwo',
        ToolCalls: [...assistant.ToolCalls, { ...assistant.ToolCalls[0], Id: 'c2', Index: 1 }],
      },
      { Role: 'tool', ToolCallId: 'c1', Content: '(empty)' },
      { Role: 'tool', ToolCallId: 'c2', Content: 'b' },
    ]);
  });

  it('refuses an image in a result by name', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const parts = [...history.slice(0, 5), { role: 'tool', tool_call_id: 'c1', content: [picture] }];
    expect(() => turns(parts)).toThrow(/messages.*results of tools are text/);
  });

  it('joins texts and images of one user', () => {
    const picture = { type: 'image_url', image_url: { url: 'https://e.example/a.png' } };
    expect(
      turns([
        { role: 'user', content: 'look' },
        { role: 'user', content: [picture] },
      ]),
    ).toEqual([
      {
        Role: 'user',
        Contents: [
          { Type: 'text', Text: 'look' },
          { Type: 'image_url', ImageUrl: { Url: 'https://e.example/a.png' } },
        ],
      },
    ]);
  });
});
