import { EventReader } from '../support/event-reader.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/** These tests hold how admins see and set cooldowns of keys, limits and timeouts (docs/reference/relay/health.md, limits.md). */
let site: Site;
let upstream: Upstream;
let root: Person;
let authorization: string;
let id: number;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
  const made = await site.expectSuccess(root, 'POST', '/api/token/', { name: 't', unlimited_quota: true });
  authorization = `Bearer sk-${(made.body.data as { key: string }).key}`;
  const key = 'sk-planted-key-one-aaaa,sk-planted-key-two-bbbb';
  const fields = { name: 'c', key, models: 'gpt-4o', group: 'default', base_url: upstream.url };
  await site.expectSuccess(root, 'POST', '/api/channel/', fields);
  id = (await site.query<{ id: number }>('SELECT id FROM channels'))[0]?.id ?? 0;
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));

const limited = json({ error: { message: 'slow down', type: 'requests' } }, 429, { 'retry-after': '300' });

async function ask(): Promise<number> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const headers = { authorization, 'content-type': 'application/json' };
  return (await site.rest(null, 'POST', '/v1/chat/completions', body, headers)).status;
}

interface Key {
  readonly ending: string;
  readonly cooldowns: ReadonlyArray<{ readonly model: string | null; readonly reason: string; readonly until: string }>;
}
const selection = 'keys { position ending status cooldowns { model reason since until } }';

async function keys(): Promise<Key[]> {
  const answer = await site.graphql(root, `{ channel(id: ${id}) { ${selection} } }`);
  return (answer.data as { channel: { keys: Key[] } }).channel.keys;
}

it('shows the cooldown of each key with reason and end, live too, and Clear ends them', async () => {
  const reader = await EventReader.open(
    site.server.url,
    root,
    `subscription { channelChanged { items { id ${selection} } missed } }`,
    {},
  );
  try {
    upstream.script({}, limited);
    const begun = Date.now();
    expect(await ask()).toBe(429);
    const [one, two] = await keys();
    expect([one?.ending, two?.ending]).toEqual(['aaaa', 'bbbb']);
    for (const key of [one, two]) {
      expect(key?.cooldowns).toMatchObject([{ model: 'gpt-4o', reason: 'RATE_LIMITED' }]);
      const until = Date.parse(key?.cooldowns[0]?.until ?? '') - 300_000;
      expect([until >= begun, until <= Date.now()]).toEqual([true, true]);
    }
    const seen = (): Key[] =>
      reader.results.flatMap(
        ({ data }) => (data?.['channelChanged'] as { items: Array<{ keys: Key[] }> }).items.at(-1)?.keys ?? [],
      );
    await reader.until(() => seen().some(({ cooldowns }) => cooldowns[0]?.reason === 'RATE_LIMITED'));
    expect(JSON.stringify(reader.results)).not.toContain('planted');

    const requests = upstream.requests.length;
    expect(await ask()).toBe(429);
    expect(upstream.requests).toHaveLength(requests);
    upstream.reset();
    const one1 = await site.graphql(
      root,
      `mutation { clearChannelCooldowns(input: { id: ${id}, key: 1 }) { channel { ${selection} } } }`,
    );
    const cleared = (one1.data as { clearChannelCooldowns: { channel: { keys: Key[] } } }).clearChannelCooldowns.channel
      .keys;
    expect(cleared.map(({ cooldowns }) => cooldowns.length)).toEqual([0, 1]);
    expect(await ask()).toBe(200);
    expect(upstream.requests.map(({ key }) => key)).toEqual(['sk-planted-key-one-aaaa']);
    const { body } = await site.expectSuccess(root, 'DELETE', `/api/channel/${id}/cooldowns`);
    expect(body.data).toBe(1);
    expect((await keys()).flatMap(({ cooldowns }) => cooldowns)).toEqual([]);
  } finally {
    reader.close();
  }
});

it('has limits and timeouts in GraphQL and REST, and refuses what it does not know', async () => {
  const none = {
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrentCalls: null,
    dailyUsd: null,
    monthlyUsd: null,
  };
  const names = Object.keys(none).join(' ');
  const shown = `limits { channel { ${names} } key { ${names} } } timeouts { firstByteSeconds idleSeconds totalSeconds }`;
  const update = `mutation Set($limits: ChannelLimitsInput, $timeouts: ChannelTimeoutsInput) {
    updateChannel(input: { id: ${id}, limits: $limits, timeouts: $timeouts }) { channel { id } }
  }`;
  const limits = { key: { requestsPerMinute: 60, tokensPerMinute: null }, channel: { dailyUsd: 2.5 } };
  const saved = await site.graphql(root, update, { limits, timeouts: { idleSeconds: 30 } });
  expect(saved.codes).toEqual([]);
  const read = await site.graphql(root, `{ channel(id: ${id}) { ${shown} } }`);
  expect(read.data).toEqual({
    channel: {
      limits: { channel: { ...none, dailyUsd: 2.5 }, key: { ...none, requestsPerMinute: 60 } },
      timeouts: { firstByteSeconds: null, idleSeconds: 30, totalSeconds: null },
    },
  });
  for (const wrong of [{ limits: { key: { requestsPerMinute: 0 } } }, { timeouts: { totalSeconds: 90_000 } }]) {
    expect((await site.graphql(root, update, wrong)).codes).toEqual(['INVALID_INPUT']);
  }
  const { body } = await site.expectSuccess(root, 'GET', `/api/channel/${id}`);
  const wire = body.data as { limits: string; timeouts: string };
  expect([JSON.parse(wire.limits), JSON.parse(wire.timeouts)]).toEqual([
    { key: { requests_per_minute: 60 }, channel: { daily_usd: 2.5 } },
    { idle_seconds: 30 },
  ]);
  for (const [field, text, message] of [
    ['limits', '{"key":{"rpm":1}}', 'Limits: rpm is unknown'],
    ['limits', '{"all":{}}', 'Limits: all is unknown; use channel and key'],
    ['limits', '{"key":{"requests_per_minute":1.5}}', 'Limits: requests_per_minute must be a whole number above 0'],
    ['limits', '{"channel":{"daily_usd":-1}}', 'Limits: daily_usd must be a number above 0'],
    ['timeouts', '{"total_seconds":0}', 'Timeouts: total_seconds must be a number of seconds above 0, at most 86400'],
    ['timeouts', '[]', 'Timeouts: must be a JSON object'],
  ] as const) {
    const answer = await site.rest(root, 'PUT', '/api/channel/', { id, [field]: text });
    expect([text, answer.body['success'], answer.body['message']]).toEqual([
      text,
      false,
      expect.stringContaining(message),
    ]);
  }
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id, limits: '', timeouts: '' });
  const cleared = await site.graphql(root, `{ channel(id: ${id}) { ${shown} } }`);
  expect(cleared.data).toEqual({ channel: { limits: null, timeouts: null } });
});

it('counts keys in cooldown in the metrics by reason', async () => {
  upstream.script({}, limited);
  await ask();
  const text = await (await fetch(`${site.server.url}/metrics`)).text();
  expect(text).toContain('tollgate_channel_keys_cooling_down{reason="RATE_LIMITED"} 2');
  await site.expectSuccess(root, 'DELETE', `/api/channel/${id}/cooldowns`);
});

describe('single keys', () => {
  const mutate = async (document: string) => site.graphql(root, `mutation { ${document} }`);
  const endings = async () => (await keys()).map(({ ending }) => ending);

  it('are tested alone, also during a cooldown, without a mark on the channel', async () => {
    const before = await site.query('SELECT tested_at, test_error FROM channels WHERE id = $1', [id]);
    upstream.reset();
    upstream.script({}, json({ error: { message: 'bad key', type: 'auth' } }, 401));
    const failed = await mutate(`testChannel(input: { id: ${id}, key: 2 }) { ... on ChannelTestFailed { message } }`);
    expect(JSON.stringify(failed.data)).toContain('bad key');
    upstream.reset();
    upstream.script({}, json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
    const passed = await mutate(`testChannel(input: { id: ${id}, key: 1 }) { __typename }`);
    expect(passed.data).toEqual({ testChannel: { __typename: 'ChannelTestPassed' } });
    expect(upstream.requests.map(({ key }) => key)).toEqual(['sk-planted-key-one-aaaa']);
    expect(
      JSON.stringify(
        (await mutate(`testChannel(input: { id: ${id}, key: 9 }) { ... on ChannelTestFailed { message } }`)).data,
      ),
    ).toContain('no such key');
    expect(await site.query('SELECT tested_at, test_error FROM channels WHERE id = $1', [id])).toEqual(before);
  });

  it('are added behind the others, once', async () => {
    const three = 'sk-planted-key-three-cccc';
    await mutate(
      `addChannelKeys(input: { id: ${id}, keys: ["${three}", "sk-planted-key-one-aaaa", "${three}"] }) { channel { id } }`,
    );
    expect(await endings()).toEqual(['aaaa', 'bbbb', 'cccc']);
    const again = await mutate(`addChannelKeys(input: { id: ${id}, keys: ["${three}"] }) { channel { id } }`);
    expect(again.codes).toEqual(['INVALID_INPUT']);
  });

  it('are removed by place and ending, except the last one, and each change is in the audit log', async () => {
    const remove = (position: number, ending: string) =>
      mutate(`removeChannelKey(input: { id: ${id}, position: ${position}, ending: "${ending}" }) { channel { id } }`);
    expect((await remove(2, 'cccc')).codes).toEqual(['CONFLICT']);
    expect((await remove(4, 'dddd')).codes).toEqual(['NOT_FOUND']);
    expect((await remove(2, 'bbbb')).codes).toEqual([]);
    expect(await endings()).toEqual(['aaaa', 'cccc']);
    await remove(1, 'aaaa');
    expect((await remove(1, 'cccc')).codes).toEqual(['INVALID_INPUT']);
    expect(await endings()).toEqual(['cccc']);
    const audit = await site.graphql(root, '{ auditEntries(pageSize: 3) { items { subject changes { field } } } }');
    const changes = { subject: 'CHANNEL', changes: [{ field: 'key' }] };
    expect(audit.data).toMatchObject({ auditEntries: { items: [changes, changes, changes] } });
    expect(JSON.stringify(audit.data)).not.toContain('planted');
  });
});
