/** Channel types of gateways, servers of open models and chosen endpoints, from the client's socket to the provider's. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

const completion = (more: Json = {}): Json => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  ...more,
});
const message: Json = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};
const response: Json = { id: 'resp_1', object: 'response', status: 'completed', output: [], usage: null };
const generated: Json = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const answers: Readonly<Record<string, Json>> = {
  '/v1/chat/completions': completion(),
  '/v1/messages': message,
  '/v1/responses': response,
  '/v1/embeddings': { object: 'list', data: [], usage: { prompt_tokens: 1, total_tokens: 1 } },
  '/v1beta/models/gpt-4o:generateContent': generated,
};
const bodies: Readonly<Record<string, Json>> = {
  '/v1/chat/completions': { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
  '/v1/messages': { model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
  '/v1/responses': { model: 'gpt-4o', input: 'hi' },
  '/v1/embeddings': { model: 'gpt-4o', input: 'hi' },
  '/v1beta/models/gpt-4o:generateContent': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};

/** Sends a call as a client. Returns the path and the key that the provider received. */
async function seen(path: string, as: string = path): Promise<Array<string | undefined>> {
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(answers[as] ?? completion()));
  const answer = await relay.post(path, key, bodies[path]);
  expect(answer.status).toBe(200);
  const { headers = {}, path: sent } = relay.upstream.requests.at(-1) ?? {};
  return [sent, headers.authorization ?? String(headers['x-goog-api-key'] ?? headers['x-key'])];
}

describe.each([
  ['New API', 60, Object.keys(answers)],
  ['vLLM', 62, ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings']],
  ['SGLang', 63, ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings']],
  ['SubModel', 53, ['/v1/chat/completions', '/v1/embeddings']],
])('%s (type %i)', (_name, type, paths) => {
  it.each(paths)('speaks %s itself', async (path) => {
    await relay.addChannel({ type });
    const [sent, key] = await seen(path);
    expect(sent).toBe(path);
    expect(key).toContain('sk-upstream-secret');
    expect(relay.upstream.requests[0]?.body).toEqual(bodies[path]);
  });
});

it('New API gets the headers by which coding agents are told apart', async () => {
  await relay.addChannel({ type: 60 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(response));
  const headers = { session_id: 's-1', originator: 'codex_cli_rs', cookie: 'a=b' };
  await relay.post('/v1/responses', key, bodies['/v1/responses'], { headers });
  const { headers: sent } = relay.upstream.requests[0] ?? {};
  expect(sent).toMatchObject({ session_id: 's-1' });
  expect(sent).not.toHaveProperty('cookie');
});

describe('Perplexity (type 27)', () => {
  const searched = completion({
    citations: ['https://a.example'],
    search_results: [{ title: 'A', url: 'https://a.example' }],
  });

  it('is asked without a version, and its sources are annotations', async () => {
    await relay.addChannel({ type: 27 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(searched));
    const answer = await relay.post('/v1/responses', key, bodies['/v1/responses']);
    expect(relay.upstream.requests[0]?.path).toBe('/chat/completions');
    expect(await answer.json()).toMatchObject({
      output: [{ content: [{ annotations: [{ type: 'url_citation', url: 'https://a.example', title: 'A' }] }] }],
    });
  });

  it('is not offered tools, and refuses calls that ask for one', async () => {
    await relay.addChannel({ type: 27 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(searched));
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const dropped = await relay.chat(key, { ...bodies['/v1/chat/completions'], tools });
    expect([dropped.status, dropped.headers.get('x-tollgate-dropped')]).toEqual([200, 'tools']);
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('tools');
    const refused = await relay.chat(key, { ...bodies['/v1/chat/completions'], tools, tool_choice: 'required' });
    expect(refused.status).toBe(400);
  });
});

describe('chosen endpoints (type 58)', () => {
  it('are asked at their places, with the key in the chosen header', async () => {
    const endpoints = { chat: '/api/chat', messages: '/claude/v1/messages', embeddings: '/embed?x=1' };
    const other = JSON.stringify({ endpoints, auth: { header: 'X-Key' } });
    await relay.addChannel({ type: 58, other });
    expect(await seen('/v1/chat/completions')).toEqual(['/api/chat', 'sk-upstream-secret']);
    expect(await seen('/v1/messages')).toEqual(['/claude/v1/messages', 'sk-upstream-secret']);
    expect(await seen('/v1/embeddings')).toEqual(['/embed?x=1', 'sk-upstream-secret']);
    // This channel does not serve Responses, so the call is translated.
    expect(await seen('/v1/responses', '/v1/chat/completions')).toEqual(['/api/chat', 'sk-upstream-secret']);
  });

  it('are those of every server when none are chosen', async () => {
    await relay.addChannel({ type: 58 });
    expect(await seen('/v1/chat/completions')).toEqual(['/v1/chat/completions', 'Bearer sk-upstream-secret']);
  });
});
