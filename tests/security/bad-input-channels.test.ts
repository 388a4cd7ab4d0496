import * as channelWire from '../../server/src/console/channels/channel.wire.js';
import * as tokenWire from '../../server/src/console/tokens/token.wire.js';
import { anywhere, Site, type Person } from '../contract/site.js';
import { badValues, badValuesFor, leaks, savedState } from '../support/bad-values.js';

/** Channels, tokens and all list parameters, over REST; `bad-input-graphql.test.ts` tests GraphQL. */
let site: Site;
let root: Person;
let user: Person;
let tokenId: number;

jest.setTimeout(240_000);

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
  await site.expectSuccess(root, 'POST', '/api/channel/', channel);
  const made = await site.expectSuccess(user, 'POST', '/api/token/', token);
  tokenId = (made.body.data as { id: number }).id;
});
afterAll(() => site.stop());

// No server listens at this address.
const channel = {
  type: 1,
  name: 'c',
  key: 'sk-planted',
  status: 1,
  openai_organization: '',
  test_model: '',
  weight: 1,
  priority: 0,
  base_url: 'http://127.0.0.1:9',
  other: '',
  models: 'm',
  group: 'default',
  model_mapping: '{"a":"b"}',
  status_code_mapping: '{"429":"500"}',
  auto_ban: 1,
  tag: 't',
  setting: '{}',
  param_override: '{}',
  header_override: '{}',
  limits: '',
  timeouts: '',
  model_prefix: '',
  max_input_tokens: 0,
  owner_id: 0,
};
const token = {
  name: 't',
  expired_time: -1,
  remain_quota: 5,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '10.0.0.0/8',
  group: '',
  rate_limit_enabled: false,
  rate_limit_period: 60,
  rate_limit_count: 10,
  rate_limit_success: 10,
  fallback_groups: '',
  fallback_models: 'm',
  scopes: 'relay,usage',
};

const tokenBudget = { kind: 'money', amount: 5, window: 'day' };

type Body = Record<string, unknown>;
const bodies: ReadonlyArray<[what: string, method: string, path: string, person: () => Person, body: () => Body]> = [
  ['a new channel', 'POST', '/api/channel/', () => root, () => channel],
  ['a channel', 'PUT', '/api/channel/', () => root, () => ({ ...channel, id: 1 })],
  ['a tag', 'PUT', '/api/channel/tag', () => root, () => tagEdit],
  ['channels of a tag', 'POST', '/api/channel/batch/tag', () => root, () => ({ ids: [1], tag: 't' })],
  ['channels that go', 'POST', '/api/channel/batch', () => root, () => ({ ids: [999_999] })],
  ['a tag that goes on', 'POST', '/api/channel/tag/enabled', () => root, () => ({ tag: 't' })],
  ['a tag that goes off', 'POST', '/api/channel/tag/disabled', () => root, () => ({ tag: 'nobody’s' })],
  ['a provider that is asked', 'POST', '/api/channel/fetch_models', () => root, () => discover],
  [
    'a new token',
    'POST',
    '/api/token/',
    () => user,
    () => ({ ...token, budgets: [tokenBudget], project_id: 0, is_shared: false }),
  ],
  ['a token', 'PUT', '/api/token/', () => user, () => ({ ...token, id: tokenId, status: 1, ungranted_quota: 0 })],
  ['a token’s status', 'PUT', '/api/token/?status_only=true', () => user, () => ({ id: tokenId, status: 1 })],
];
const tagEdit = { tag: 't', new_tag: 't', priority: 1, weight: 1, model_mapping: '', models: 'm', groups: 'default' };
const discover = { base_url: 'http://127.0.0.1:9', type: 1, key: 'k' };

const stateNow = async (): Promise<string> => JSON.stringify(await site.query(savedState));

it.each(bodies)('%s: every bad field is answered clearly, and nothing of what is refused is saved', async (...row) => {
  const [name, method, path, person, body] = row;
  const ordinal = bodies.findIndex(([one]) => one === name);
  const whole: Array<readonly [string, unknown]> = [null, [], 'text', 5, true].map((value) => ['the body', value]);
  const tries = [
    ...Object.keys(body()).flatMap((field, index) =>
      badValuesFor(index + ordinal).map(
        ([what, value]) => [`${field}: ${what}`, { ...body(), [field]: value }] as const,
      ),
    ),
    ...whole,
  ];
  let before = await stateNow();
  for (const [what, sent] of tries) {
    const answer = await site.rest(person(), method, path, sent, anywhere());
    const said = { what, status: answer.status, body: answer.body };
    expect([said, answer.status < 500, leaks(JSON.stringify(answer.body))]).toEqual([said, true, false]);
    expect([said, JSON.stringify(answer.body).includes('sk-planted')]).toEqual([said, false]);
    const after = await stateNow();
    if (answer.body['success'] !== true) expect([said, after === before]).toEqual([said, true]);
    before = after;
  }
});

it('every field that a body of a channel or a token may have is tried', () => {
  const shapes: Record<string, readonly string[]> = {
    'a new channel': Object.keys(channelWire.createBody.in.shape),
    'a channel': Object.keys(channelWire.updateBody.in.shape),
    'a tag': Object.keys(channelWire.tagEditBody.in.shape),
    'channels of a tag': Object.keys(channelWire.batchTagBody.in.shape),
    'channels that go': Object.keys(channelWire.idsBody.in.shape),
    'a tag that goes on': Object.keys(channelWire.tagBody.in.shape),
    'a tag that goes off': Object.keys(channelWire.tagBody.in.shape),
    'a provider that is asked': Object.keys(channelWire.discoverBody.in.shape),
    'a new token': Object.keys(tokenWire.createBody.in.shape),
    'a token': Object.keys(tokenWire.updateBody.in.shape),
    'a token’s status': Object.keys(tokenWire.statusBody.in.shape),
  };
  expect(Object.fromEntries(bodies.map(([what, , , , body]) => [what, Object.keys(body()).sort()]))).toEqual(
    Object.fromEntries(Object.entries(shapes).map(([what, fields]) => [what, [...fields].sort()])),
  );
});

const logFields = ['type', 'token_name', 'model_name', 'group', 'start_timestamp', 'end_timestamp'];
const taskFields = ['p', 'page_size', 'channel_id', 'start_timestamp', 'end_timestamp'];
const queries: ReadonlyArray<readonly [path: string, ...fields: string[]]> = [
  ['/api/channel/', 'p', 'page_size', 'id_sort', 'tag_mode'],
  ['/api/channel/search', 'keyword', 'group', 'model', 'id_sort', 'tag_mode'],
  ['/api/channel/test/1', 'model'],
  ['/api/token/', 'p', 'size'],
  ['/api/token/search', 'keyword', 'token'],
  ['/api/log/', 'p', 'page_size', 'username', 'channel', 'request_id', ...logFields],
  ['/api/log/self', 'p', 'page_size', ...logFields],
  ['/api/log/stat', 'username', 'channel', ...logFields],
  ['/api/log/self/stat', ...logFields],
  ['/api/log/search', 'keyword'],
  ['/api/log/self/search', 'keyword'],
  ['/api/log/token', 'key'],
  ['/api/log/export', 'username', 'channel', ...logFields],
  ['/api/data/', 'username', 'start_timestamp', 'end_timestamp'],
  ['/api/data/self', 'start_timestamp', 'end_timestamp'],
  ['/api/mj/', 'mj_id', ...taskFields],
  ['/api/mj/self', 'mj_id', ...taskFields],
  ['/api/task/', 'task_id', 'platform', 'action', 'status', ...taskFields],
  ['/api/task/self', 'task_id', 'platform', 'action', 'status', ...taskFields],
];

it.each(queries)('GET %s takes any value for any parameter', async (path, ...fields) => {
  const fitting = badValues.filter(([, one]) => typeof one === 'string' || typeof one === 'number');
  for (const [ordinal, field] of fields.entries()) {
    for (const [what, value] of badValuesFor(ordinal + path.length, fitting)) {
      const query = new URLSearchParams({ [field]: String(value).slice(0, 3000) }).toString();
      const answer = await site.rest(root, 'GET', `${path}?${query}`, undefined, anywhere());
      const said = { field, what, status: answer.status, body: answer.body };
      expect([said, answer.status < 500, leaks(JSON.stringify(answer.body))]).toEqual([said, true, false]);
    }
  }
});

it('numbers in paths may be anything', async () => {
  const paths = [
    '/api/channel/N',
    '/api/channel/test/N',
    '/api/channel/update_balance/N',
    '/api/channel/fetch_models/N',
    '/api/token/N',
  ];
  for (const pattern of paths) {
    for (const text of [
      '0',
      '-1',
      '1.5',
      '2147483648',
      '99999999999999999999',
      'x',
      '%00',
      '%27',
      'NaN',
      '1e9',
      '%20',
    ]) {
      const answer = await site.rest(root, 'GET', pattern.replace('N', text), undefined, anywhere());
      const said = { path: pattern, text, status: answer.status, body: answer.body };
      expect([said, answer.status < 500, leaks(JSON.stringify(answer.body))]).toEqual([said, true, false]);
      if (answer.status === 200) expect([said, answer.body['success']]).toEqual([said, false]);
    }
  }
});
