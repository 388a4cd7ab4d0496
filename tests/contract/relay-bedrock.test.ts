/**
 * Beta features of Claude at Bedrock are sent in the body, and only those that Bedrock accepts. `e2e/vertex.test.ts` tests
 * Vertex.
 */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const model = 'claude-sonnet-4-20250514';
const answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 3, output_tokens: 1 },
};
const path = '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke';
const taken = [
  ...['context-management-2025-06-27', 'fine-grained-tool-streaming-2025-05-14', 'tool-search-tool-2025-10-19'],
];
/** The beta features that Claude Code sends, and one that no host knows. */
const betas = [
  ...['claude-code-20250219', 'context-management-2025-06-27', 'interleaved-thinking-2025-05-14'],
  ...['fine-grained-tool-streaming-2025-05-14', 'advanced-tool-use-2025-11-20', 'invented-2099-01-01'],
];

describe('Bedrock', () => {
  const channel = { type: 33, key: 'AKIAFAKE|secret-fake|us-east-1' };

  it('takes betas in the body, where the header named them', async () => {
    await relay.addChannel({ ...channel, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const body = { model, max_tokens: 5, messages: userMessage('hi'), context_management: { edits: [] } };
    const headers = { 'anthropic-beta': betas.join(','), 'anthropic-version': '2023-06-01', 'x-app': 'cli' };
    const response = await relay.post('/v1/messages', key, body, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(answer);
    const [request] = relay.upstream.requests;
    expect(request?.path).toBe(path);
    const { anthropic_beta: sent, ...rest } = request?.body ?? {};
    expect((sent as string[]).toSorted()).toEqual(taken.toSorted());
    expect(rest).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 5,
      messages: body.messages,
      context_management: { edits: [] },
    });
    for (const name of ['anthropic-beta', 'anthropic-version', 'x-app']) {
      expect(request?.headers).not.toHaveProperty(name);
    }
  });

  it('gets no betas where the client named none', async () => {
    await relay.addChannel({ ...channel, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    await relay.post('/v1/messages', key, { model, max_tokens: 5, messages: userMessage('hi') });
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('anthropic_beta');
  });

  it('gets the client’s betas from a chat client as well when it sends them in the body', async () => {
    await relay.addChannel({ ...channel, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const given = { model, max_tokens: 5, messages: userMessage('hi'), anthropic_beta: ['context-1m-2025-08-07'] };
    expect((await relay.post('/v1/messages', key, given)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ anthropic_beta: ['context-1m-2025-08-07'] });
  });

  it.each(['/v1/messages', '/v1/chat/completions'])(
    'gets the betas that an admin set for the model: %s',
    async (route) => {
      const configured = { [model]: { 'Anthropic-Beta': ['advanced-tool-use-2025-11-20,invented-2099-01-01'] } };
      relay.setOptions({ 'claude.model_headers_settings': configured });
      await relay.addChannel({ ...channel, models: model });
      const { key } = await relay.addToken();
      relay.upstream.script({}, json(answer));
      await relay.post(route, key, { model, max_tokens: 5, messages: userMessage('hi') });
      expect(relay.upstream.requests[0]?.body).toMatchObject({ anthropic_beta: ['tool-search-tool-2025-10-19'] });
    },
  );

  it('gets no fields that it refuses, and the client is told', async () => {
    await relay.addChannel({ ...channel, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const system = [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', scope: 'global' } }];
    const whole = { service_tier: 'auto', cache_control: { type: 'ephemeral' } };
    const given = { model, max_tokens: 5, messages: userMessage('hi'), system, ...whole };
    const response = await relay.post('/v1/messages', key, given);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-dropped')).toBe('service_tier, cache_control.scope');
    expect(relay.upstream.requests[0]?.body).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 5,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }],
    });
    const refused = await relay.post('/v1/messages', key, { ...given, mcp_servers: [{ name: 'm' }] });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('mcp_servers')]);
  });
});
