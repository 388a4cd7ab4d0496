/** Calls of a session go to the channel and key whose prompt cache is warm (docs/reference/relay/routing.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
/** The clock of the relay. The tests move it. */
let now = Date.now();
const values = { SelfUseModeEnabled: true };

relaySuite((started) => (relay = started), { clock: { now: () => now }, values });

type Json = Record<string, unknown>;
interface Message {
  readonly role: string;
  readonly content: string;
}

/** Returns the number of tokens as these tests count them: one for four characters. */
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0);

/**
 * Creates a provider with a prompt cache for each key. A prompt reads its beginning from the cache if that beginning was
 * sent with the same key in the last five minutes.
 */
function cachingProvider() {
  const caches = new Map<string, Map<string, number>>();
  const totals = { prompt: 0, cached: 0 };
  const reply: Reply = (response, request) => {
    const messages = request.body?.['messages'] as readonly Message[];
    const cache = caches.get(request.key ?? '') ?? new Map<string, number>();
    caches.set(request.key ?? '', cache);
    let cached = 0;
    for (let length = messages.length; length > 0 && cached === 0; length--) {
      const until = cache.get(JSON.stringify(messages.slice(0, length)));
      if (until !== undefined && until >= now) cached = tokensOf(messages.slice(0, length));
    }
    cache.set(JSON.stringify(messages), now + 5 * 60_000);
    const prompt = tokensOf(messages);
    totals.prompt += prompt;
    totals.cached += cached;
    return json({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Fine' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: 1,
        total_tokens: prompt + 1,
        prompt_tokens_details: { cached_tokens: cached },
      },
    })(response, request);
  };
  return { reply, totals };
}

const completion = json({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Fine' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

const unavailable = json({ error: { message: 'down', type: 'server_error' } }, 500);

const sessions = 50;
const turns = 20;

/** Runs all sessions in parallel, with a call every two minutes. @returns the share of prompt tokens that were cached */
async function playSessions(): Promise<number> {
  const { reply, totals } = cachingProvider();
  relay.upstream.script({}, reply);
  for (let channel = 0; channel < 4; channel++) {
    await relay.addChannel({ key: [0, 1, 2].map((key) => `sk-${channel}-${key}`).join(','), weight: channel * 10 });
  }
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) });
  const talks = Array.from({ length: sessions }, (_, index): Message[] => [
    { role: 'system', content: 'You are a careful engineer. '.repeat(300) },
    { role: 'user', content: `Task ${index}: ${'look at this file. '.repeat(20)}` },
  ]);
  for (let turn = 0; turn < turns; turn++) {
    const replies = await Promise.all(talks.map((messages) => relay.chat(key, { model: 'gpt-4o', messages })));
    for (const reply of replies) {
      expect(reply.status).toBe(200);
      await reply.text();
    }
    for (const messages of talks) {
      messages.push(
        { role: 'assistant', content: 'Fine' },
        { role: 'user', content: `Go on, turn ${turn}. `.repeat(20) },
      );
    }
    now += 2 * 60_000;
  }
  return totals.cached / totals.prompt;
}

describe('50 sessions of 20 turns on 4 channels with 3 keys each', () => {
  it('read at least 90 % of their prompts from the provider’s caches', async () => {
    expect(await playSessions()).toBeGreaterThanOrEqual(0.9);
    const calls = await relay.metric('tollgate_affinity_calls_total{');
    const sum = (result: string): number =>
      calls
        .filter((line) => line.includes(`result="${result}"`))
        .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
    expect([sum('new'), sum('hit'), sum('moved')]).toEqual([sessions, sessions * (turns - 1), 0]);
    expect(await relay.metric('tollgate_channel_tokens_total{')).toHaveLength(8);
  });

  it('read under 25 % of them without session affinity', async () => {
    relay.setOptions({ ...values, 'session_affinity.enabled': false });
    expect(await playSessions()).toBeLessThan(0.25);
  });
});

const long = 'A long text that stays the same. '.repeat(200);
const keysSent = (): Array<string | null> => relay.upstream.requests.map(({ key }) => key);
/** Four channels that speak chat completions, with three keys each. */
const twelve = async (): Promise<number[]> =>
  Promise.all([0, 1, 2, 3].map((id) => relay.addChannel({ type: 43, key: `sk-${id}-a,sk-${id}-b,sk-${id}-c` })));

async function call(key: string, body: Json, headers: Record<string, string> = {}, path = '/v1/chat/completions') {
  const response = await relay.post(path, key, { model: 'gpt-4o', ...body }, { headers });
  const text = await response.text();
  return { status: response.status, text };
}

describe('the session of a call', () => {
  const short = { messages: userMessage('hi') };
  const claude = { model: 'gpt-4o', max_tokens: 10, messages: userMessage('hi') };
  it.each([
    ['the header x-session-affinity', short, { 'x-session-affinity': 's1' }, '/v1/chat/completions'],
    ['the header session_id of Codex', short, { session_id: 's1' }, '/v1/chat/completions'],
    ['the header session-id of Codex', short, { 'session-id': 's1' }, '/v1/chat/completions'],
    ['the header conversation_id of Codex', short, { conversation_id: 's1' }, '/v1/chat/completions'],
    ['the header of Claude Code', short, { 'x-claude-code-session-id': 's1' }, '/v1/chat/completions'],
    ['metadata.user_id', { ...claude, metadata: { user_id: 'session_1' } }, {}, '/v1/messages'],
    ['prompt_cache_key', { ...short, prompt_cache_key: 's1' }, {}, '/v1/chat/completions'],
    [
      'the text of chat',
      { messages: [{ role: 'system', content: long }, ...userMessage('hi')] },
      {},
      '/v1/chat/completions',
    ],
    ['the text of Messages', { ...claude, system: [{ type: 'text', text: long }] }, {}, '/v1/messages'],
    ['the text of Responses', { instructions: long, input: 'hi' }, {}, '/v1/responses'],
  ])('is given by %s', async (_name, body, headers, path) => {
    await twelve();
    const { key } = await relay.addToken();
    for (let turn = 0; turn < 12; turn++) expect((await call(key, body, headers, path)).status).toBe(200);
    expect(new Set(keysSent()).size).toBe(1);
  });

  it('is given by the text of a Gemini call', async () => {
    await twelve();
    const { key } = await relay.addToken();
    const body = {
      systemInstruction: { parts: [{ text: long }] },
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    };
    for (let turn = 0; turn < 12; turn++) {
      expect((await call(key, body, {}, '/v1beta/models/gpt-4o:generateContent')).status).toBe(200);
    }
    expect(new Set(keysSent()).size).toBe(1);
  });

  it('is the first one given: a header wins over the text', async () => {
    await twelve();
    const { key } = await relay.addToken();
    const body = { messages: [{ role: 'system', content: long }, ...userMessage('hi')] };
    for (let turn = 0; turn < 24; turn++) await call(key, body, { 'x-session-affinity': `s${turn}` });
    expect(new Set(keysSent()).size).toBeGreaterThan(1);
  });

  it('is none for a short prompt without an identity', async () => {
    await twelve();
    const { key, userId } = await relay.addToken();
    for (let turn = 0; turn < 24; turn++) await call(key, short);
    expect(new Set(keysSent()).size).toBeGreaterThan(1);
    expect((await relay.logsOf(userId, 24)).every(({ other }) => other['affinity'] === undefined)).toBe(true);
  });

  it('is not shared by two users with the same text', async () => {
    await twelve();
    const pinned = new Set<string | null>();
    for (let user = 0; user < 24; user++) {
      const { key, userId } = await relay.addToken();
      const body = { messages: [{ role: 'system', content: long }, ...userMessage('hi')] };
      await call(key, body, { 'x-session-affinity': 'the same' });
      pinned.add(keysSent().at(-1) ?? null);
      expect((await relay.logsOf(userId, 1))[0]?.other['affinity']).toBe('new');
    }
    expect(pinned.size).toBeGreaterThan(1);
  });

  it('is recognized in what coding agents sent', async () => {
    const sources: Record<string, string> = {};
    for (const agent of ['claude-code', 'codex-cli', 'gemini-cli', 'qwen-code']) {
      await relay.clearChannels();
      relay.upstream.reset();
      const file = join(import.meta.dirname, '../recorded/agents', `${agent}.json`);
      const requests = JSON.parse(readFileSync(file, 'utf8')) as Array<{
        path: string;
        headers: Record<string, string>;
        body: Json;
      }>;
      const modelOf = ({ path, body }: (typeof requests)[number]): string =>
        typeof body['model'] === 'string'
          ? body['model']
          : decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? '');
      const models = [...new Set(requests.map(modelOf))].join();
      const ids = await Promise.all(
        [0, 1, 2].map((id) => relay.addChannel({ type: 43, models, key: `sk-${id}-a,sk-${id}-b` })),
      );
      const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
      for (const { path, headers, body } of requests) await (await relay.post(path, key, body, { headers })).text();
      sources[agent] = [...new Set(ids.flatMap((id) => relay.pins.ofChannel(id)).map(({ source }) => source))].join();
    }
    expect(sources).toEqual({
      'claude-code': 'claude_code',
      'codex-cli': 'codex',
      'gemini-cli': 'prompt',
      'qwen-code': 'prompt',
    });
  });

  it('ends when it was not used for the time of its model', async () => {
    relay.setOptions({ ...values, 'session_affinity.ttl_seconds': { '*': 60, 'gpt-4o*': 600, 'gpt-4o-mini': 0 } });
    await twelve();
    const { key, userId } = await relay.addToken();
    const headers = { 'x-session-affinity': 's1' };
    await call(key, short, headers);
    now += 599_000;
    await call(key, short, headers);
    now += 599_000;
    await call(key, short, headers);
    now += 600_001;
    await call(key, short, headers);
    await call(key, { ...short, model: 'gpt-4o-mini' }, headers);
    const rows = await relay.logsOf(userId, 5);
    expect(rows.map(({ other }) => other['affinity'])).toEqual(['new', 'hit', 'hit', 'new', undefined]);
  });
});

describe('a session whose channel', () => {
  const headers = { 'x-session-affinity': 's1' };
  const body = { messages: userMessage('hi') };
  const affinities = async (userId: number, count: number): Promise<unknown[]> =>
    (await relay.logsOf(userId, count)).map(({ other }) => other['affinity']);
  const channelOf = async (userId: number): Promise<number> => (await relay.logs(userId)).at(-1)?.channel_id ?? 0;

  it('dies moves with its next call, and stays there', async () => {
    relay.setOptions({ ...values, RetryTimes: 2 });
    await twelve();
    const { key, userId } = await relay.addToken();
    await call(key, body, headers);
    const [first] = keysSent();
    relay.upstream.script({ ...(first ? { key: first } : {}) }, unavailable);
    for (let turn = 0; turn < 6; turn++) expect((await call(key, body, headers)).status).toBe(200);
    // The first call is followed by a failed attempt, its retry, and five calls with the new key.
    const [, failed, ...rest] = keysSent();
    expect([failed, rest.length, new Set(rest).size]).toEqual([first, 6, 1]);
    expect(await affinities(userId, 7)).toEqual(['new', 'moved', 'hit', 'hit', 'hit', 'hit', 'hit']);
  });

  it('fails without a retry need not return', async () => {
    const id = await relay.addChannel({ key: 'sk-x' });
    const { key } = await relay.addToken();
    await relay.addChannel({ key: 'sk-y', priority: -1 });
    await call(key, body, headers);
    expect(relay.pins.ofChannel(id)).toHaveLength(1);
    relay.upstream.script({ key: 'sk-x' }, unavailable);
    expect((await call(key, body, headers)).status).toBe(500);
    expect(relay.pins.ofChannel(id)).toEqual([]);
  });

  it('in cooldown moves, and stays where the retry was served after the cooldown', async () => {
    await twelve();
    const { key, userId } = await relay.addToken();
    await call(key, body, headers);
    const [first] = keysSent();
    const limited = json({ error: { message: 'slow down', type: 'rate_limit' } }, 429, { 'retry-after': '60' });
    relay.upstream.script({ ...(first ? { key: first } : {}) }, limited);
    // The first of the parallel calls gets the 429. The key is in a cooldown for the others.
    for (let turn = 0; turn < 3; turn++) expect((await call(key, body, headers)).status).toBe(200);
    relay.upstream.script({ ...(first ? { key: first } : {}) }, completion);
    now += 61_000;
    for (let turn = 0; turn < 2; turn++) expect((await call(key, body, headers)).status).toBe(200);
    const [, failed, ...rest] = keysSent();
    expect([failed, rest.length, new Set(rest).size]).toEqual([first, 5, 1]);
    expect(rest[0]).not.toBe(first);
    expect(await affinities(userId, 6)).toEqual(['new', 'moved', 'hit', 'hit', 'hit', 'hit']);
  });

  it('in cooldown because of another session moves without a call there', async () => {
    await twelve();
    const { key, userId } = await relay.addToken();
    await call(key, body, headers);
    await relay.logsOf(userId, 1);
    const cooling = await channelOf(userId);
    const [first] = keysSent();
    const limited = json({ error: { message: 'slow down', type: 'rate_limit' } }, 429, { 'retry-after': '60' });
    relay.upstream.script({ ...(first ? { key: first } : {}) }, limited);
    const other = await relay.addToken({ userId: await relay.addUser({ role: 'root' }) });
    while (
      !keysSent()
        .slice(1)
        .includes(first ?? '')
    )
      await call(`${other.key}-${cooling}`, body);
    const before = keysSent().length;
    expect((await call(key, body, headers)).status).toBe(200);
    expect(keysSent().slice(before)).not.toContain(first);
    expect(await affinities(userId, 2)).toEqual(['new', 'moved']);
    relay.endCooldowns();
  });

  it('is disabled moves, and the channel gets no call', async () => {
    await twelve();
    const { key, userId } = await relay.addToken();
    await call(key, body, headers);
    await relay.logsOf(userId, 1);
    const disabled = await channelOf(userId);
    await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [disabled]);
    await relay.changed({ kind: 'channel', id: disabled });
    for (let turn = 0; turn < 6; turn++) await call(key, body, headers);
    const rows = await relay.logsOf(userId, 7);
    expect(rows.slice(1).some(({ channel_id }) => channel_id === disabled)).toBe(false);
    expect(rows.map(({ other }) => other['affinity'])).toEqual(['new', 'moved', 'hit', 'hit', 'hit', 'hit', 'hit']);
  });

  it('is in a lower tier moves to the tier that is used', async () => {
    const low = await relay.addChannel({ key: 'sk-low', priority: 1 });
    const { key, userId } = await relay.addToken();
    await relay.addChannel({ key: 'sk-low-2', priority: 1 });
    await call(key, body, headers);
    const high = await relay.addChannel({ key: 'sk-high', priority: 9 });
    await call(key, body, headers);
    await call(key, body, headers);
    expect((await relay.logsOf(userId, 3)).slice(1).map(({ channel_id }) => channel_id)).toEqual([high, high]);
    expect(await affinities(userId, 3)).toEqual(['new', 'moved', 'hit']);
    expect(relay.pins.ofChannel(low)).toEqual([]);
  });

  it('is cleared is chosen anew', async () => {
    const ids = await twelve();
    const { key, userId } = await relay.addToken();
    await call(key, body, headers);
    const listed = ids.flatMap((id) => relay.pins.ofChannel(id));
    expect(listed).toMatchObject([{ userId, model: 'gpt-4o', source: 'header', calls: 1, secondsLeft: 1800 }]);
    expect(JSON.stringify(listed)).not.toContain('sk-');
    expect(await relay.pins.clear(listed[0]?.channelId ?? 0)).toBe(1);
    expect(ids.flatMap((id) => relay.pins.ofChannel(id))).toEqual([]);
    await call(key, body, headers);
    expect(await affinities(userId, 2)).toEqual(['new', 'new']);
  });
});

describe('with a second node', () => {
  it('a session stays where it is at both, moves at both and is cleared at both', async () => {
    const nodes = new MemoryState();
    const first = await RelayHarness.start({ nodes });
    const second = await RelayHarness.start({ nodes, beside: first });
    try {
      for (const node of [first, second]) node.setOptions(values);
      const ids: number[] = [];
      for (let id = 0; id < 4; id++) {
        ids.push(await first.addChannel({ key: `sk-${id}-a,sk-${id}-b,sk-${id}-c` }));
        await second.changed({ kind: 'channel' });
      }
      const { key, userId } = await first.addToken();
      const ask = async (node: RelayHarness): Promise<void> => {
        const response = await node.post(
          '/v1/chat/completions',
          key,
          { model: 'gpt-4o', messages: userMessage('hi') },
          { headers: { 'x-session-affinity': 's1' } },
        );
        expect(response.status).toBe(200);
        await response.text();
      };
      for (const node of [first, second, second, first]) await ask(node);
      expect(new Set(first.upstream.requests.map((each) => each.key)).size).toBe(1);
      const [pinned = 0] = ids.filter((id) => second.pins.ofChannel(id).length > 0);
      await first.pins.clear(pinned);
      expect(second.pins.ofChannel(pinned)).toEqual([]);
      await ask(second);
      expect((await first.logsOf(userId, 5)).map(({ other }) => other['affinity'])).toEqual([
        ...['new', 'hit', 'hit', 'hit', 'new'],
      ]);
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});
