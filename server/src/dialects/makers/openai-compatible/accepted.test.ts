import { acceptsEverything, accountFields } from '../../accepts.js';
import { targetFor } from '../../../../../tests/support/relay-dialects.js';
import { shortCallId } from './chat-body.js';
import { openAICompatible } from './openai-compatible.js';

const { chat } = openAICompatible({});

function send(body: Record<string, unknown>, accepts = acceptsEverything, more: { passThrough?: boolean } = {}) {
  const target = targetFor({ accepts, baseUrl: 'https://provider.example', upstreamModel: 'm', ...more });
  const whole = { model: 'm', messages: [], ...body };
  const rawBody = Buffer.from(JSON.stringify(whole));
  const request = { path: '/v1/chat/completions', body: whole, rawBody, stream: false, wantsUsage: false };
  const sent = chat?.toUpstreamRequest(request, target);
  return { json: JSON.parse(String(sent?.body)) as Record<string, unknown>, dropped: sent?.dropped };
}

const account = Object.fromEntries(accountFields.map((name) => [name, 'x']));
const turns = [
  { role: 'developer', content: 'be brief' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'call_0123456789', type: 'function', function: {} }] },
  { role: 'tool', tool_call_id: 'call_0123456789', content: '1' },
];

it('sends everything to a provider that accepts everything', () => {
  const body = { ...account, reasoning_effort: 'low', messages: turns };
  expect(send(body)).toEqual({ json: { model: 'm', ...body }, dropped: undefined });
});

it('leaves out and reports fields that are not accepted', () => {
  const accepts = { ...acceptsEverything, accountFields: [], reasoningEffort: false };
  expect(send({ ...account, reasoning_effort: 'low', n: 1 }, accepts)).toEqual({
    json: { model: 'm', messages: [], n: 1 },
    dropped: [...accountFields, 'reasoning_effort'],
  });
});

it('sends the role developer as system', () => {
  const { json } = send({ messages: turns }, { ...acceptsEverything, developerRole: false });
  expect(json['messages']).toEqual([{ role: 'system', content: 'be brief' }, ...turns.slice(1)]);
});

it('shortens the id of a call and of its result to the same one', () => {
  const { json } = send({ messages: turns }, { ...acceptsEverything, callIds: { length: 12 } });
  const [, call, result] = json['messages'] as [unknown, { tool_calls: [{ id: string }] }, { tool_call_id: string }];
  expect(result.tool_call_id).toMatch(/^[a-z0-9]{12}$/);
  expect(call.tool_calls[0].id).toBe(result.tool_call_id);
});

it('keeps ids that have the form, empty ones and what is no id', () => {
  expect(['aB3456789', '', 7].map((id) => shortCallId(id, 9))).toEqual(['aB3456789', '', 7]);
  expect(shortCallId('a', 9)).not.toBe(shortCallId('b', 9));
});

it('changes nothing in pass-through mode', () => {
  const accepts = {
    developerRole: false,
    accountFields: [],
    reasoningEffort: false,
    callIds: { length: 9 },
    tools: false,
    customTools: false,
    reasoningHistory: null,
    thinkingOff: null,
    searchTool: null,
  } as const;
  expect(send({ ...account, messages: turns }, accepts, { passThrough: true }).json).toEqual({
    model: 'm',
    ...account,
    messages: turns,
  });
});
