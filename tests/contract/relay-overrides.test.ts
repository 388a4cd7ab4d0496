/** Changes that a channel makes to the bodies and headers of its requests, from the client's socket to the upstream. */
import { says } from '../support/upstream/families.js';
import { chat, json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const messages = [{ role: 'user', content: 'hi' }];
const operations = [
  { mode: 'set', path: 'extra.deep', value: [1], models: ['gpt-4o*'] },
  { mode: 'set', path: 'extra.other', value: 1, models: ['o3'] },
  { mode: 'delete', path: 'service_tier' },
  { mode: 'append', path: 'stop', value: ['a'] },
  { mode: 'rename', from: 'custom', to: 'renamed' },
];
const override = JSON.stringify({ house: true, custom: 'x', operations });

describe('param_override with operations', () => {
  it.each([
    ['/v1/chat/completions', 1, { model: 'gpt-4o', messages, service_tier: 'flex' }],
    ['/v1/chat/completions', 14, { model: 'gpt-4o', messages }],
    ['/v1/chat/completions', 24, { model: 'gpt-4o', messages }],
    ['/v1/chat/completions', 34, { model: 'gpt-4o', messages }],
    ['/v1/messages', 14, { model: 'gpt-4o', messages, max_tokens: 5, service_tier: 'auto' }],
    ['/v1/messages', 1, { model: 'gpt-4o', messages, max_tokens: 5 }],
    ['/v1/responses', 1, { model: 'gpt-4o', input: 'hi', service_tier: 'flex' }],
    ['/v1beta/models/gpt-4o:generateContent', 24, { contents: [{ parts: [{ text: 'hi' }] }], service_tier: 'x' }],
    ['/v1/embeddings', 1, { model: 'gpt-4o', input: 'hi', service_tier: 'x' }],
    ['/v1/embeddings', 24, { model: 'gpt-4o', input: 'hi' }],
    ['/v1/images/generations', 24, { model: 'gpt-4o', prompt: 'p' }],
  ])('changes the body of %s at type %i', async (path, type, given) => {
    await relay.addChannel({ type, override });
    const { key } = await relay.addToken();
    relay.upstream.script({}, says({ text: 'x' }));
    await (await relay.post(path, key, given)).text();
    const sent = relay.upstream.requests.at(-1)?.body as Record<string, unknown>;
    expect(sent).toMatchObject({ house: true, renamed: 'x', extra: { deep: [1] } });
    expect(sent['stop']).toEqual(expect.arrayContaining(['a']));
    for (const name of ['custom', 'service_tier', 'operations']) expect(sent).not.toHaveProperty(name);
    expect(sent['extra']).toEqual({ deep: [1] });
  });
});

describe('header_override', () => {
  const headers = JSON.stringify({
    'X-House': 'tollgate',
    'X-Own-Key': 'k={api_key}',
    'X-Session': '{client_header:X-Session-Id}',
    operations: [
      { mode: 'set', path: 'x-model', value: 'four', models: ['gpt-4o*'] },
      { mode: 'set', path: 'x-model', value: 'three', models: ['o3'] },
      { mode: 'append', path: 'anthropic-beta', value: 'house-2026' },
      { mode: 'rename', from: 'authorization', to: 'x-auth' },
      { mode: 'delete', path: 'accept' },
    ],
  });

  it.each([
    ['/v1/chat/completions', 1, { model: 'gpt-4o', messages }],
    ['/v1/chat/completions', 14, { model: 'gpt-4o', messages }],
    ['/v1/messages', 14, { model: 'gpt-4o', messages, max_tokens: 5 }],
    ['/v1/chat/completions', 24, { model: 'gpt-4o', messages }],
    ['/v1/responses', 1, { model: 'gpt-4o', input: 'hi' }],
    ['/v1/embeddings', 1, { model: 'gpt-4o', input: 'hi' }],
    ['/v1/audio/speech', 1, { model: 'gpt-4o', input: 'hi' }],
  ])('changes the headers of %s at type %i', async (path, type, given) => {
    await relay.addChannel({ type, headers });
    const { key } = await relay.addToken();
    relay.upstream.script({}, says({ text: 'x' }));
    await (await relay.post(path, key, given, { headers: { 'x-session-id': 's-1', 'x-other': 'no' } })).text();
    const sent = relay.upstream.requests[0]?.headers ?? {};
    expect(sent).toMatchObject({
      'x-house': 'tollgate',
      'x-own-key': 'k=sk-upstream-secret',
      'x-session': 's-1',
      'x-model': 'four',
      'anthropic-beta': expect.stringMatching(/(^|,)house-2026$/) as string,
    });
    for (const name of ['authorization', 'accept', 'x-other']) expect(sent).not.toHaveProperty(name);
    if (type === 1) expect(sent['x-auth']).toBe('Bearer sk-upstream-secret');
  });

  it('of one channel does not go along when another channel serves the call', async () => {
    relay.setOptions({ RetryTimes: 1 });
    await relay.addChannel({ key: 'sk-first-channel', headers, priority: 5 });
    await relay.addChannel({ key: 'sk-second-channel' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ error: { message: 'down' } }, 500), chat({ text: 'x' }));
    expect((await relay.chat(key, { model: 'gpt-4o', messages })).status).toBe(200);
    const [first, second] = relay.upstream.requests;
    expect(first?.headers).toMatchObject({ 'x-own-key': 'k=sk-first-channel' });
    expect(second?.headers).toMatchObject({ authorization: 'Bearer sk-second-channel' });
    expect(JSON.stringify(second?.headers)).not.toMatch(/first-channel|x-house|x-model/);
  });

  it('hides the channel’s key where a provider repeats it', async () => {
    await relay.addChannel({ headers });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ error: { message: 'header k=sk-upstream-secret is wrong' } }, 400));
    const response = await relay.chat(key, { model: 'gpt-4o', messages });
    expect(await response.text()).toContain('header k=[key] is wrong');
  });
});
