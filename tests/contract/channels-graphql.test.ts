import { json } from '../support/upstream/replies.js';
import { unauthorized } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/** Channels over GraphQL: enums, lists and objects, where the REST API has numbers and text. */
let site: Site;
let upstream: Upstream;
let root: Person;
let admin: Person;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(async () => {
  upstream.reset();
  await site.query('DELETE FROM channels');
  await site.expectSuccess(root, 'POST', '/api/channel/fix');
});

interface Shown extends Record<string, unknown> {
  readonly id: number;
}

const everything = `id name type { id provider label defaultBaseUrl } status statusReason { reason at } groups models tag
  modelPrefix modelMapping { from to } statusCodeMapping { from to } autoDisable weight priority maxInputTokens ownerId baseUrl
  testModel openaiOrganization variant parameters headers setting { proxy forceFormat thinkingToContent nonStreamOnly more }
  balance { amount unit at } lastTest { at milliseconds } keys { position status } usedQuota createdAt`;

async function mutate(document: string, input: Record<string, unknown>): Promise<Record<string, Shown>> {
  const { data, text } = await site.graphql(admin, document, { input });
  const [payload] = Object.values(data ?? {}) as Array<Record<string, Shown> | null>;
  if (!payload) throw new Error(text);
  return payload;
}

const createDocument = `mutation ($input: CreateChannelInput!) {
  createChannel(input: $input) { replayed channel { ${everything} } } }`;
const updateDocument = `mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { ${everything} } } }`;

const minimal = { name: 'main', type: 'OPENAI', keys: ['sk-planted-graphql'], models: ['gpt-4o'] };

async function create(more: Record<string, unknown> = {}): Promise<Shown> {
  const { channel } = await mutate(createDocument, { ...minimal, ...more });
  return channel as Shown;
}
const update = async (input: Record<string, unknown>): Promise<Shown> =>
  (await mutate(updateDocument, input))['channel'] as Shown;
const wire = async (id: number): Promise<Record<string, unknown>> =>
  (await site.rest(admin, 'GET', `/api/channel/${id}`)).body.data as Record<string, unknown>;

async function fieldOfError(document: string, input: Record<string, unknown>): Promise<unknown> {
  const { text } = await site.graphql(admin, document, { input });
  const { errors } = JSON.parse(text) as { errors?: Array<{ extensions: { code: string; field?: string } }> };
  return [errors?.[0]?.extensions.code, errors?.[0]?.extensions.field];
}

describe('a channel', () => {
  it('is created from the least there must be, and has null where it has nothing', async () => {
    const created = await create();
    expect(created).toEqual({
      id: expect.any(Number) as number,
      name: 'main',
      type: { id: 1, provider: 'OPENAI', label: 'OpenAI', defaultBaseUrl: 'https://api.openai.com' },
      status: 'ENABLED',
      statusReason: null,
      groups: ['default'],
      models: ['gpt-4o'],
      tag: null,
      modelPrefix: null,
      modelMapping: [],
      statusCodeMapping: [],
      autoDisable: true,
      weight: 0,
      priority: 0,
      maxInputTokens: null,
      ownerId: null,
      baseUrl: null,
      testModel: null,
      openaiOrganization: null,
      variant: null,
      parameters: null,
      headers: null,
      setting: { proxy: null, forceFormat: false, thinkingToContent: false, nonStreamOnly: false, more: null },
      balance: null,
      lastTest: null,
      keys: [{ position: 1, status: 'USED' }],
      usedQuota: 0,
      createdAt: expect.stringMatching(/^20\d\d-.*Z$/) as string,
    });
  });

  it('takes lists and objects, which the REST API shows as text', async () => {
    const given = {
      type: 'VERTEX_AI',
      variant: 'us-central1',
      keys: ['{"type":"service_account","a":"b,c"}'],
      models: ['a', 'b'],
      groups: ['vip', 'default'],
      tag: 't',
      modelPrefix: 'p/',
      status: 'DISABLED',
      modelMapping: [
        { from: 'gpt-4o', to: 'gpt-4o-2024-11-20' },
        { from: '__proto__', to: 'x' },
      ],
      statusCodeMapping: [{ from: 400, to: 500 }],
      autoDisable: false,
      weight: 7,
      priority: -3,
      maxInputTokens: 1000,
      testModel: 'a',
      parameters: { temperature: 0.2, nested: { deep: [1, null] } },
      headers: { 'X-Title': 'Tollgate', 'User-Agent': null },
      setting: { proxy: 'socks5://10.0.0.8:1080', forceFormat: true, nonStreamOnly: true, more: { house: 1 } },
    };
    const { keys: _keys, type: _type, setting, ...same } = given;
    const created = await create(given);
    expect(created).toMatchObject({
      ...same,
      type: { id: 41, provider: 'VERTEX_AI', label: 'Vertex AI' },
      setting: { ...setting, thinkingToContent: false },
      keys: [{ position: 1, status: 'USED' }],
    });
    expect(await wire(created.id)).toMatchObject({
      type: 41,
      status: 2,
      key: given.keys[0],
      models: 'a,b',
      group: 'vip,default',
      other: 'us-central1',
      model_mapping: '{"gpt-4o":"gpt-4o-2024-11-20","__proto__":"x"}',
      status_code_mapping: '{"400":"500"}',
      auto_ban: 0,
      max_input_tokens: 1000,
      param_override: '{"temperature":0.2,"nested":{"deep":[1,null]}}',
      header_override: '{"X-Title":"Tollgate","User-Agent":null}',
      setting: '{"house":1,"proxy":"socks5://10.0.0.8:1080","force_format":true,"stream_support":"NON_STREAM_ONLY"}',
    });
  });

  it('shows what the server and the REST API stored', async () => {
    const { id } = await create();
    await site.query(
      `UPDATE channels SET type = 4711, models = '{a,b}', model_mapping = '{"a":"b"}', status_code_mapping = '{"400":500}',
         status_reason = '401', status_changed_at = to_timestamp(1700000000), balance = 3.5,
         balance_at = to_timestamp(1700000000), tested_at = to_timestamp(1700000001), response_time = 250 WHERE id = $1`,
      [id],
    );
    const { data } = await site.graphql(admin, `{ channel(id: ${id}) { ${everything} } }`);
    expect(data?.['channel']).toMatchObject({
      type: { id: 4711, provider: null, label: '', defaultBaseUrl: null },
      models: ['a', 'b'],
      modelMapping: [{ from: 'a', to: 'b' }],
      statusCodeMapping: [{ from: 400, to: 500 }],
      setting: { proxy: null, more: null },
      statusReason: { reason: '401', at: '2023-11-14T22:13:20.000Z' },
      balance: { amount: 3.5, unit: 'USD', at: '2023-11-14T22:13:20.000Z' },
      lastTest: { at: '2023-11-14T22:13:21.000Z', milliseconds: 250 },
    });
  });

  it('keeps what a change leaves out, and clears what it sets to null', async () => {
    const { id } = await create({ tag: 't', baseUrl: upstream.url, modelMapping: [{ from: 'a', to: 'b' }], weight: 4 });
    const changed = await update({ id, name: 'other', tag: null, modelMapping: null, setting: null });
    expect(changed).toMatchObject({ name: 'other', tag: null, modelMapping: [], weight: 4, baseUrl: upstream.url });
    expect(await wire(id)).toMatchObject({ key: 'sk-planted-graphql', tag: '', model_mapping: '', setting: '' });
    await update({ id, keys: ['sk-a', 'sk-b'] });
    expect(await wire(id)).toMatchObject({ key: 'sk-a,sk-b', name: 'other' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { name: ' ' }, 'name'],
    ['a name of null', { name: null }, 'name'],
    ['no models', { models: [] }, 'models'],
    ['a model with a comma', { models: ['a,b'] }, 'models'],
    ['no groups', { groups: [] }, 'groups'],
    ['no keys', { keys: [' '] }, 'keys'],
    ['two keys where one is a document', { keys: ['{"a":1}', 'k'] }, 'keys'],
    ['an address that is none', { baseUrl: 'file:///etc/passwd' }, 'baseUrl'],
    ['a model mapped twice', { modelMapping: ['b', 'c'].map((to) => ({ from: 'a', to })) }, 'modelMapping'],
    ['a status that is none', { statusCodeMapping: [{ from: 400, to: 5000 }] }, 'statusCodeMapping'],
    ['parameters that are no object', { parameters: [1] }, 'parameters'],
    ['headers that are no object', { headers: [1] }, 'headers'],
    ['a header with a line break', { headers: { 'x-a': 'b\nc' } }, 'headers'],
    ['a proxy of another kind', { setting: { proxy: 'gopher://x' } }, 'setting'],
    ['further settings that are no object', { setting: { more: 'x' } }, 'setting.more'],
    ['a region that is missing', { type: 'VERTEX_AI', variant: null }, 'variant'],
    ['a weight below 0', { weight: -1 }, 'weight'],
    ['a provider of old', { type: 'AILS' }, 'type'],
  ])('refuses %s and names the field', async (_what, more, field) => {
    const { id } = await create();
    expect(await fieldOfError(updateDocument, { id, ...more })).toEqual(['INVALID_INPUT', field]);
    expect(await wire(id)).toMatchObject({ name: 'main', models: 'gpt-4o' });
  });

  it('may serve one user, who has to exist, and everybody again', async () => {
    const owner = (await site.invite(admin)).id;
    const { id } = await create();
    expect(await update({ id, ownerId: owner })).toMatchObject({ ownerId: owner });
    expect(await wire(id)).toMatchObject({ owner_id: owner });
    const [record] = await site.query<{ changes: unknown[] }>(
      `SELECT changes FROM audit_entries WHERE subject = 'channel' AND subject_id = $1 ORDER BY id DESC LIMIT 1`,
      [String(id)],
    );
    expect(record?.changes).toEqual([{ field: 'ownerId', before: null, after: String(owner) }]);
    expect(await update({ id, name: 'same' })).toMatchObject({ ownerId: owner });
    expect(await fieldOfError(updateDocument, { id, ownerId: 2_000_000_000 })).toEqual(['INVALID_INPUT', 'ownerId']);
    expect(await fieldOfError(createDocument, { ...minimal, ownerId: 2_000_000_000 })).toEqual([
      'INVALID_INPUT',
      'ownerId',
    ]);
    expect(await fieldOfError(updateDocument, { id, ownerId: -1 })).toEqual(['INVALID_INPUT', 'ownerId']);
    expect(await update({ id, ownerId: null })).toMatchObject({ ownerId: null });
  });

  it('is made once, however often its creation is tried with one key', async () => {
    const input = { ...minimal, idempotencyKey: 'once' };
    const first = await mutate(createDocument, input);
    const again = await mutate(createDocument, input);
    expect([first['replayed'], again['replayed']]).toEqual([false, true]);
    expect(again['channel']?.id).toBe(first['channel']?.id);
    expect(await site.query('SELECT 1 FROM channels')).toHaveLength(1);
    const other = await site.graphql(admin, createDocument, { input: { ...input, name: 'other' } });
    expect(other.codes).toEqual(['CONFLICT']);
    const [stored] = await site.query<{ text: string }>(
      `SELECT string_agg(t::text, '') AS text FROM idempotency_keys t WHERE operation = 'createChannel'`,
    );
    expect(stored?.text).not.toContain('planted');
  });

  it('that is gone is null to a reader and NOT_FOUND to who changes it', async () => {
    const { id } = await create();
    expect((await site.graphql(admin, `mutation { deleteChannel(id: ${id}) { id } }`)).data).toEqual({
      deleteChannel: { id },
    });
    expect((await site.graphql(admin, `{ channel(id: ${id}) { id } }`)).data).toEqual({ channel: null });
    for (const field of [
      `deleteChannel(id: ${id}) { id }`,
      `enableChannel(id: ${id}) { channel { id } }`,
      `updateChannel(input: { id: ${id}, weight: 1 }) { channel { id } }`,
    ]) {
      expect((await site.graphql(admin, `mutation { ${field} }`)).codes).toEqual(['NOT_FOUND']);
    }
  });
});

describe('keys', () => {
  it('are shown as their places and health, and in plain text to nobody but who asks for them', async () => {
    const created = await create({ keys: ['sk-planted-1', 'sk-planted-2'], baseUrl: upstream.url });
    expect(created['keys']).toEqual([
      { position: 1, status: 'USED' },
      { position: 2, status: 'USED' },
    ]);
    const list = await site.graphql(admin, `{ channels { items { ${everything} } } }`);
    expect(list.codes).toEqual([]);
    expect(list.text).not.toContain('planted');
    const { data } = await site.graphql(admin, `{ channelKeys(id: ${created.id}) }`);
    expect(data).toEqual({ channelKeys: ['sk-planted-1', 'sk-planted-2'] });
    const [row] = await site.query<{ content: string }>('SELECT content FROM logs ORDER BY id DESC LIMIT 1');
    expect(row?.content).toBe(`Read the key of channel ${created.id} (main)`);
  });

  it('that a provider refused are told from those in use', async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
    upstream.script({ key: 'sk-bad' }, unauthorized());
    const { id } = await create({ keys: ['sk-bad', 'sk-good'], baseUrl: upstream.url });
    const { key } = await site.server.api.createToken(root);
    const statuses: number[] = [];
    for (let n = 0; n < 2; n++) {
      const answer = await site.server.api.relay(key, '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'hi' }],
      });
      statuses.push(answer.status);
      await answer.text();
    }
    expect([statuses.sort(), upstream.requests.map((request) => request.key).sort()]).toEqual([
      [200, 401],
      ['sk-bad', 'sk-good'],
    ]);
    const { data } = await site.graphql(admin, `{ channel(id: ${id}) { status keys { position status } } }`);
    expect(data?.['channel']).toEqual({
      status: 'ENABLED',
      keys: [
        { position: 1, status: 'REFUSED' },
        { position: 2, status: 'USED' },
      ],
    });
    // A console of new-api removes it.
    const manage = async (action: string, more: object = {}): Promise<unknown> =>
      (await site.rest(admin, 'POST', '/api/channel/multi_key/manage', { channel_id: id, action, ...more })).body[
        'data'
      ];
    expect(await manage('get_key_status', { status: 3 })).toMatchObject({
      keys: [{ index: 0, status: 3, key_preview: expect.any(String) }],
      enabled_count: 1,
      auto_disabled_count: 1,
    });
    expect(await manage('delete_disabled_keys')).toBe(1);
    expect((await site.graphql(admin, `{ channelKeys(id: ${id}) }`)).data).toEqual({ channelKeys: ['sk-good'] });
  });

  it('are no field of any input that is shown again', async () => {
    const { data } = await site.graphql(admin, '{ __type(name: "ChannelKey") { fields { name } } }');
    expect((data?.['__type'] as { fields: Array<{ name: string }> }).fields.map(({ name }) => name)).toEqual([
      'position',
      'status',
      'ending',
      'cooldowns',
    ]);
  });
});

describe('the list', () => {
  it('filters by lists of whole values', async () => {
    await create({ name: 'a', models: ['gpt-4o'], priority: 2 });
    const b = await create({ name: 'b', models: ['gpt-4'], groups: ['vip'], tag: 't', type: 'OLLAMA' });
    await site.graphql(admin, `mutation { disableChannel(id: ${b.id}) { channel { id } } }`);
    const names = async (filter: string): Promise<unknown> => {
      const { data, text } = await site.graphql(
        admin,
        `{ channels(filter: { ${filter} }) { totalCount items { name } } }`,
      );
      if (!data?.['channels']) throw new Error(text);
      const { items, totalCount } = data['channels'] as { items: Array<{ name: string }>; totalCount: number };
      expect(totalCount).toBe(items.length);
      return items.map(({ name }) => name).join('');
    };
    expect(await names('')).toBe('ab');
    for (const filter of [
      ...['groups: ["vip"]', 'models: ["gpt-4"]', 'tags: ["t", "u"]', 'keyword: "b"', 'statuses: [DISABLED]'],
      ...['types: [OLLAMA, AZURE]', `ids: [${b.id}]`, 'types: [OLLAMA], tags: ["t"]'],
    ]) {
      expect([filter, await names(filter)]).toEqual([filter, 'b']);
    }
    expect(await names('tags: [""]')).toBe('a');
    expect(await names('models: ["gpt-4", "gpt-4o"]')).toBe('ab');
    expect(await names('models: []')).toBe('');
    expect(await names('statuses: [AUTO_DISABLED]')).toBe('');
  });

  it('pages, sorts and reads on from a cursor, untested channels last', async () => {
    for (const [name, milliseconds] of [
      ['a', 300],
      ['b', 0],
      ['c', 100],
      ['d', 200],
    ] as const) {
      const { id } = await create({ name });
      await site.query('UPDATE channels SET response_time = $2, tested_at = $3 WHERE id = $1', [
        ...[id, milliseconds, milliseconds === 0 ? null : new Date('2023-11-14T22:13:20Z')],
      ]);
    }
    const read = async (
      args: string,
    ): Promise<{ items: Array<{ name: string }>; pageInfo: Record<string, string> }> => {
      const { data, text } = await site.graphql(
        admin,
        `{ channels(${args}) { items { name } pageInfo { endCursor hasNextPage } } }`,
      );
      if (!data?.['channels']) throw new Error(text);
      return data['channels'] as { items: Array<{ name: string }>; pageInfo: Record<string, string> };
    };
    const named = async (args: string): Promise<string> => (await read(args)).items.map(({ name }) => name).join('');
    expect(await named('sort: [{ field: NAME }]')).toBe('dcba');
    expect(await named('page: 1, pageSize: 3')).toBe('a');
    for (const direction of ['ASC', 'DESC']) {
      const sort = `sort: [{ field: RESPONSE_TIME, direction: ${direction} }]`;
      const first = await read(`${sort}, pageSize: 2`);
      const rest = await named(`${sort}, pageSize: 2, after: "${first.pageInfo['endCursor']}"`);
      const whole = first.items.map(({ name }) => name).join('') + rest;
      expect(whole).toBe(direction === 'ASC' ? 'cdab' : 'adcb');
    }
    const wrong = await site.graphql(admin, '{ channels(sort: { field: KEY_SEALED }) { totalCount } }');
    expect(wrong.codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });
});

describe('many channels', () => {
  it('are enabled, disabled, tagged and deleted by id, and missing ones are named', async () => {
    const [one, two] = [(await create({ name: 'one' })).id, (await create({ name: 'two' })).id];
    const bulk = async (field: string): Promise<unknown> => {
      const { data, text } = await site.graphql(admin, `mutation { ${field} { done failed { id code } } }`);
      if (!data) throw new Error(text);
      return Object.values(data)[0];
    };
    const result = { done: [two, one], failed: [{ id: 2_000_000_000, code: 'NOT_FOUND' }] };
    const ids = `ids: [${two}, 2000000000, ${one}, ${two}]`;
    expect(await bulk(`disableChannels(${ids})`)).toEqual(result);
    expect(await wire(one)).toMatchObject({ status: 2 });
    expect(await bulk(`enableChannels(${ids})`)).toEqual(result);
    expect(await wire(two)).toMatchObject({ status: 1 });
    expect(await bulk(`setChannelTag(input: { ${ids}, tag: "t" })`)).toEqual(result);
    expect(await wire(two)).toMatchObject({ tag: 't' });
    expect(await bulk(`setChannelTag(input: { ids: [${two}], tag: null })`)).toEqual({ done: [two], failed: [] });
    expect(await wire(two)).toMatchObject({ tag: '' });
    expect(await bulk(`deleteChannels(${ids})`)).toEqual(result);
    expect(await site.query('SELECT 1 FROM channels')).toEqual([]);
  });

  it('change groups, models, priority and weight together', async () => {
    const [one, two] = [(await create({ name: 'one', weight: 3 })).id, (await create({ name: 'two' })).id];
    const change = (input: string) =>
      site.graphql(admin, `mutation { updateChannels(input: { ${input} }) { done failed { id code } } }`);
    const { data } = await change(
      `ids: [${two}, ${one}, 2000000000], groups: ["vip"], priority: 4, models: ["a", "b"]`,
    );
    expect(data).toEqual({
      updateChannels: { done: [two, one], failed: [{ id: 2_000_000_000, code: 'NOT_FOUND' }] },
    });
    expect(await wire(one)).toMatchObject({ group: 'vip', priority: 4, models: 'a,b', weight: 3 });
    expect((await change(`ids: [${one}]`)).codes).toEqual(['INVALID_INPUT']);
    expect((await change(`ids: [${one}], weight: -1`)).codes).toEqual(['INVALID_INPUT']);
    const tags = await site.graphql(admin, '{ channelTags }');
    expect(tags.data).toEqual({ channelTags: [] });
  });

  it('of a tag change together', async () => {
    const { id } = await create({ tag: 't', modelMapping: [{ from: 'a', to: 'b' }] });
    const { data } = await site.graphql(
      admin,
      `mutation {
        updateChannelTag(input: { tag: "t", priority: 3, groups: ["vip", "default"], modelMapping: null }) { count }
        disableChannelTag(tag: "t") { count }
        fixChannels { count }
      }`,
    );
    expect(data).toEqual({
      updateChannelTag: { count: 1 },
      disableChannelTag: { count: 1 },
      fixChannels: { count: 0 },
    });
    expect(await wire(id)).toMatchObject({ priority: 3, status: 2, group: 'vip,default', model_mapping: '' });
    const rest = await site.graphql(
      admin,
      `mutation {
        enableChannelTag(tag: "t") { count }
        updateChannelTag(input: { tag: "t", newTag: null }) { count }
        deleteDisabledChannels { count }
      }`,
    );
    expect(rest.data).toEqual({
      enableChannelTag: { count: 1 },
      updateChannelTag: { count: 1 },
      deleteDisabledChannels: { count: 0 },
    });
    expect(await wire(id)).toMatchObject({ tag: '', status: 1 });
  });
});

it('tells a test that passed from one that failed', async () => {
  const { id } = await create({ baseUrl: upstream.url });
  upstream.script({}, json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
  const document = `mutation { testChannel(input: { id: ${id} }) { __typename
    ... on ChannelTestPassed { milliseconds } ... on ChannelTestFailed { milliseconds message } } }`;
  const milliseconds = expect.any(Number) as number;
  expect((await site.graphql(admin, document)).data).toEqual({
    testChannel: { __typename: 'ChannelTestPassed', milliseconds },
  });
  upstream.reset();
  upstream.script({}, unauthorized());
  const failed = await site.graphql(admin, document);
  expect(failed.data).toEqual({
    testChannel: {
      __typename: 'ChannelTestFailed',
      milliseconds,
      message: expect.stringMatching(/^status code 401: /) as string,
    },
  });
  expect(failed.text).not.toContain('planted');
});

it('keeps why a test failed, whatever its time, until one passes', async () => {
  const { id } = await create({ baseUrl: upstream.url });
  await create({ name: 'untested' });
  const read = async (state: string): Promise<unknown> => {
    const { data } = await site.graphql(
      admin,
      `{ channels(filter: { lastTests: [${state}] }) { items { name lastTest { milliseconds error } } } }`,
    );
    return (data?.['channels'] as { items: unknown[] }).items;
  };
  const milliseconds = expect.any(Number) as number;
  upstream.script({}, unauthorized());
  await site.graphql(admin, `mutation { testChannel(input: { id: ${id} }) { __typename } }`);
  const error = expect.stringMatching(/^status code 401: /) as string;
  expect(await read('FAILED')).toEqual([{ name: 'main', lastTest: { milliseconds, error } }]);
  expect(await read('PASSED')).toEqual([]);
  expect(await read('NONE')).toEqual([{ name: 'untested', lastTest: null }]);
  // A channel with a refused key responds fast, but must not be listed among the fast channels.
  await site.query('UPDATE channels SET response_time = 9000, tested_at = now() WHERE id <> $1', [id]);
  const sorted = await site.graphql(
    admin,
    '{ channels(sort: { field: RESPONSE_TIME, direction: ASC }) { items { name } } }',
  );
  expect(sorted.data).toMatchObject({ channels: { items: [{ name: 'untested' }, { name: 'main' }] } });
  upstream.reset();
  upstream.script({}, json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
  await site.graphql(admin, `mutation { testChannel(input: { id: ${id} }) { __typename } }`);
  expect(await read('PASSED')).toContainEqual({ name: 'main', lastTest: { milliseconds, error: null } });
  expect(await read('FAILED')).toEqual([]);
});

it('is copied with its keys, which no response contains', async () => {
  const { id } = await create({ keys: ['sk-planted-a', 'sk-planted-b'], weight: 7, tag: 't', baseUrl: upstream.url });
  await site.graphql(admin, `mutation { disableChannel(id: ${id}) { channel { id } } }`);
  const copied = await site.graphql(
    admin,
    `mutation { copyChannel(input: { id: ${id}, name: "main copy" }) { channel { id name weight tag status baseUrl } } }`,
  );
  const { channel } = copied.data?.['copyChannel'] as { channel: Shown };
  expect(channel).toEqual({
    id: id + 1,
    name: 'main copy',
    weight: 7,
    tag: 't',
    status: 'ENABLED',
    baseUrl: upstream.url,
  });
  expect(copied.text).not.toContain('planted');
  const keys = await site.graphql(admin, `{ channelKeys(id: ${id + 1}) }`);
  expect(keys.data).toEqual({ channelKeys: ['sk-planted-a', 'sk-planted-b'] });
  const gone = await site.graphql(
    admin,
    'mutation { copyChannel(input: { id: 2000000000, name: "x" }) { channel { id } } }',
  );
  expect(gone.codes).toEqual(['NOT_FOUND']);
});

it('is copied once, however often a copy with the same idempotency key is sent', async () => {
  const { id } = await create({ keys: ['sk-planted-a'] });
  const copy = (name: string) =>
    site.graphql(
      admin,
      `mutation { copyChannel(input: { id: ${id}, name: "${name}", idempotencyKey: "copy" }) { channel { id } replayed } }`,
    );
  const first = await copy('once');
  const made = (first.data?.['copyChannel'] as { channel: { id: number } }).channel.id;
  expect(first.data).toEqual({ copyChannel: { channel: { id: made }, replayed: false } });
  // The retry also returns the first copy after the original channel was changed.
  await site.graphql(admin, `mutation { updateChannel(input: { id: ${id}, weight: 3 }) { channel { id } } }`);
  expect((await copy('once')).data).toEqual({ copyChannel: { channel: { id: made }, replayed: true } });
  expect((await copy('other')).codes).toEqual(['CONFLICT']);
});

it('offers the types and the enabled models', async () => {
  await create({ models: ['z'] });
  const { data } = await site.graphql(
    admin,
    '{ channelTypes { id provider label defaultBaseUrl models } enabledModels }',
  );
  expect(data?.['enabledModels']).toEqual(['z']);
  const types = data?.['channelTypes'] as Array<{ id: number; provider: string }>;
  expect(types[0]).toMatchObject({ id: 1, provider: 'OPENAI', label: 'OpenAI' });
  expect(types.map(({ provider }) => provider)).not.toContain('AILS');
});

describe('each limit and timeout has a field of its own, which', () => {
  const useLimits = ['requestsPerMinute', 'tokensPerMinute', 'concurrentCalls', 'dailyUsd', 'monthlyUsd'];
  const timeouts = ['firstByteSeconds', 'idleSeconds', 'totalSeconds'];
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const ofUse = `{ ${useLimits.join(' ')} }`;
  const shown = `{ channel { id limits { channel ${ofUse} key ${ofUse} } timeouts { ${timeouts.join(' ')} } } }`;
  const change = `mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) ${shown} }`;
  const only = (names: readonly string[], name: string, value: number) =>
    Object.fromEntries(names.map((each) => [each, each === name ? value : null]));

  it('is everything that the schema has', async () => {
    const { data } = await site.graphql(
      admin,
      '{ use: __type(name: "ChannelUseLimits") { fields { name } } time: __type(name: "ChannelTimeouts") { fields { name } } }',
    );
    const namesOf = (key: string) =>
      (data?.[key] as { fields: Array<{ name: string }> }).fields.map(({ name }) => name).sort();
    expect(namesOf('use')).toEqual([...useLimits].sort());
    expect(namesOf('time')).toEqual([...timeouts].sort());
  });

  it.each(['channel', 'key'].flatMap((scope) => useLimits.map((name) => [scope, name] as const)))(
    'is stored alone, shown by both APIs and refused at 0: limits.%s.%s',
    async (scope, name) => {
      const { id } = await create();
      const changed = (await mutate(change, { id, limits: { [scope]: { [name]: 7 } } }))['channel'];
      expect(changed?.['limits']).toEqual({ channel: null, key: null, [scope]: only(useLimits, name, 7) });
      expect(changed?.['timeouts']).toBeNull();
      expect(JSON.parse(String((await wire(id))['limits']))).toEqual({ [scope]: { [snake(name)]: 7 } });
      expect(await fieldOfError(change, { id, limits: { [scope]: { [name]: 0 } } })).toEqual([
        'INVALID_INPUT',
        'limits',
      ]);
      expect((await mutate(change, { id, limits: null }))['channel']?.['limits']).toBeNull();
    },
  );

  it.each(timeouts)('is stored alone, shown by both APIs and refused at 0: timeouts.%s', async (name) => {
    const { id } = await create();
    const changed = (await mutate(change, { id, timeouts: { [name]: 1.5 } }))['channel'];
    expect(changed?.['timeouts']).toEqual(only(timeouts, name, 1.5));
    expect(changed?.['limits']).toBeNull();
    expect(JSON.parse(String((await wire(id))['timeouts']))).toEqual({ [snake(name)]: 1.5 });
    expect(await fieldOfError(change, { id, timeouts: { [name]: 0 } })).toEqual(['INVALID_INPUT', 'timeouts']);
    expect((await mutate(change, { id, timeouts: null }))['channel']?.['timeouts']).toBeNull();
  });
});
