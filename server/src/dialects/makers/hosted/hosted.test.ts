import { targetFor } from '../../../../../tests/support/relay-dialects.js';
import type { ChatRequest } from '../../contract.js';
import { providerOf } from '../../makers/providers.js';
import { checkChosenEndpoints } from './chosen-endpoints.js';
import { codingPlanAdapter } from './coding-plans.js';

const body = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
const request = (path: string): ChatRequest => ({
  path,
  body,
  rawBody: Buffer.from(JSON.stringify(body)),
  stream: false,
  wantsUsage: false,
});

it.each([
  [26, 'https://open.bigmodel.cn/api/anthropic', 'https://open.bigmodel.cn/api/coding/paas/v4/chat/completions'],
  [26, 'https://api.z.ai/api/coding/paas/v4/', 'https://api.z.ai/api/coding/paas/v4/chat/completions'],
  [25, 'https://api.kimi.com/coding', 'https://api.kimi.com/coding/v1/chat/completions'],
  [45, 'doubao-coding-plan', 'https://ark.cn-beijing.volces.com/api/coding/v3/chat/completions'],
  [17, 'https://coding.dashscope.aliyuncs.com/v1', 'https://coding.dashscope.aliyuncs.com/v1/chat/completions'],
  [43, 'https://api.deepseek.com/anthropic', 'https://api.deepseek.com/chat/completions'],
])('type %i at %s is a coding plan, which speaks Messages too', (type, baseUrl, chat) => {
  const adapter = providerOf(type).adapterFor?.({ other: '', baseUrl });
  const target = targetFor({ type, baseUrl, key: 'k', upstreamModel: 'm' });
  expect(adapter?.chat?.toUpstreamRequest(request('/v1/chat/completions'), target).url).toBe(chat);
  const sent = adapter?.messages?.toUpstreamRequest(request('/v1/messages'), target);
  expect(sent?.url).toMatch(/\/v1\/messages$/);
  expect(sent?.headers).toMatchObject({ authorization: 'Bearer k', 'anthropic-version': '2023-06-01' });
});

it('leaves every other address to the provider’s own adapter', () => {
  const others = ['', 'https://api.deepseek.com', 'https://open.bigmodel.cn', 'https://x.example/api/anthropic'];
  expect(others.map(codingPlanAdapter)).toEqual(others.map(() => null));
});

it.each(['{', '[]', '{"endpoints":{"chat":"https://other.example"}}', '{"endpoints":{"chat":"/a b"}}'])(
  'refuses %j as chosen endpoints',
  (other) => {
    expect(() => checkChosenEndpoints(other)).toThrow(/other/);
  },
);

it.each(['Host\r\nx', 'a b', ''])('refuses the header name %j', (header) => {
  expect(() => checkChosenEndpoints(JSON.stringify({ endpoints: {}, auth: { header } }))).toThrow(/header/);
});
