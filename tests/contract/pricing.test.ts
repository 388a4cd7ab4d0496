import { Site, type Person } from './site.js';

interface WirePricing {
  success: boolean;
  data: Array<Record<string, unknown> & { model_name: string; enable_groups?: string[] }>;
  group_ratio: Record<string, number>;
  usable_group: Record<string, string>;
}

let site: Site;
let root: Person;
let vip: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  vip = await site.invite(root);
  await site.expectSuccess(root, 'PUT', '/api/user/', { id: vip.id, username: vip.username, group: 'vip' });
});
afterAll(() => site.stop());
beforeEach(async () => {
  await site.query('DELETE FROM channels');
  await site.expectSuccess(root, 'POST', '/api/channel/fix');
});

const channel = (models: string, more: Record<string, unknown> = {}): Promise<unknown> =>
  site.expectSuccess(root, 'POST', '/api/channel/', { name: 'c', key: 'k', group: 'default', models, ...more });
const pricing = async (person: Person | null): Promise<WirePricing> =>
  (await site.rest(person, 'GET', '/api/pricing')).body as unknown as WirePricing;
const offered = async (person: Person | null): Promise<unknown[]> =>
  (await pricing(person)).data.map((row) => [row.model_name, row.enable_groups]);

/** The dialects in which a chat model can be called. */
const dialects = ['openai', 'anthropic', 'gemini', 'openai-response'];

it('is open to guests, in the exact shape, without a message', async () => {
  await channel('gpt-4o,dall-e-3', { group: 'default,vip' });
  await channel('dall-e-3,nobody-priced-me', { group: 'svip' });
  const answer = await pricing(null);
  expect(answer).toEqual({
    success: true,
    data: [
      {
        model_name: 'dall-e-3',
        quota_type: 1,
        model_ratio: 0,
        model_price: 0.04,
        owner_by: '',
        completion_ratio: 0,
        supported_endpoint_types: ['image-generation'],
        enable_groups: ['default', 'svip', 'vip'],
      },
      {
        model_name: 'gpt-4o',
        quota_type: 0,
        model_ratio: 1.25,
        model_price: 0,
        owner_by: '',
        completion_ratio: 4,
        supported_endpoint_types: dialects,
        enable_groups: ['default', 'vip'],
      },
      {
        model_name: 'nobody-priced-me',
        quota_type: 0,
        model_ratio: 37.5,
        model_price: 0,
        owner_by: '',
        completion_ratio: 1,
        supported_endpoint_types: dialects,
        enable_groups: ['svip'],
      },
    ],
    group_ratio: { default: 1, vip: 1 },
    usable_group: { default: 'Default group', vip: 'VIP group' },
  });
});

it('shows what is priced by the second or the character as the ratio that comes to it', async () => {
  await channel('gpt-transcribe,voxtral-mini-tts-3,rerank-v3.5');
  expect((await pricing(null)).data).toMatchObject([
    // A minute is 1,000 tokens: $0.0045.
    { model_name: 'gpt-transcribe', quota_type: 0, model_ratio: 2.25, model_price: 0 },
    { model_name: 'rerank-v3.5', quota_type: 1, model_ratio: 0, model_price: 0.002 },
    // A character is a token: $13 a million.
    { model_name: 'voxtral-mini-tts-3', quota_type: 0, model_ratio: 6.5, model_price: 0 },
  ]);
});

it('is an empty list without channels, and knows enabled channels only', async () => {
  expect((await pricing(null)).data).toEqual([]);
  await channel('gpt-4o', { status: 2 });
  expect((await pricing(null)).data).toEqual([]);
});

it('follows prices and groups at once, and names the group of the viewer', async () => {
  await channel('gpt-4o');
  const set = (key: string, value: unknown): Promise<unknown> =>
    site.expectSuccess(root, 'PUT', '/api/option/', { key, value: JSON.stringify(value) });
  await set('ModelPrice', { 'gpt-4o': 0.5 });
  await set('UserUsableGroups', { public: 'Everybody' });
  await set('GroupRatio', { default: 1, vip: 0.5, public: 2 });
  expect((await pricing(null)).data).toMatchObject([{ quota_type: 1, model_price: 0.5 }]);
  expect(await pricing(vip)).toMatchObject({
    usable_group: { public: 'Everybody', vip: 'User group' },
    group_ratio: { public: 2, vip: 0.5 },
  });
  expect((await pricing(null)).usable_group).toEqual({ public: 'Everybody', default: 'Default group' });
});

it('offers prefixed names, and the plain one only where a channel serves it', async () => {
  await channel('a,b', { model_prefix: 'p/' });
  await channel('b');
  await channel('a', { group: 'vip' });
  // In the group default, the model a is offered only with the prefix, and b both with and without it.
  expect(await offered(root)).toEqual([
    ['b', ['default']],
    ['p/a', ['default']],
    ['p/b', ['default']],
  ]);
  // In the group vip, no channel has a prefix.
  expect(await offered(vip)).toEqual([
    ['a', ['vip']],
    ['b', ['default']],
  ]);
  expect((await offered(null)).map((row) => (row as unknown[])[0])).toEqual(['a', 'b', 'p/a', 'p/b']);
});

it('lists a prefixed name once, whichever channels share it', async () => {
  await channel('a', { model_prefix: 'p/' });
  await channel('a', { model_prefix: 'p/', group: 'default,vip' });
  expect(await offered(null)).toEqual([['p/a', ['default', 'vip']]]);
});

it('is the same in GraphQL', async () => {
  await channel('dall-e-2,gpt-4o-mini');
  const document = `{ pricing {
    models { modelName modelPrice modelRatio completionRatio groups } groups { name description ratio }
  } }`;
  const answer = await site.graphql(null, document);
  expect(answer.data?.['pricing']).toMatchObject({
    models: [
      { modelName: 'dall-e-2', modelPrice: null },
      { modelName: 'gpt-4o-mini', modelPrice: null, modelRatio: 0.075, completionRatio: 4, groups: ['default'] },
    ],
    groups: [
      { name: 'public', description: 'Everybody', ratio: 2 },
      { name: 'default', description: 'Default group', ratio: 1 },
    ],
  });
});

it('shows the owner of an access token what it shows them in a session, and treats other credentials as a guest', async () => {
  await channel('a', { model_prefix: 'p/' });
  await channel('a', { group: 'vip' });
  const token = (await site.expectSuccess(vip, 'GET', '/api/user/token')).body.data as string;
  const read = async (authorization: string, headers: Record<string, string> = {}) => {
    const { status, body } = await site.rest(null, 'GET', '/api/pricing', undefined, { authorization, ...headers });
    return { status, body };
  };
  const [own, guest] = [await pricing(vip), await pricing(null)];
  expect(own).not.toEqual(guest);
  for (const authorization of [token, `Bearer ${token}`]) {
    expect(await read(authorization)).toEqual({ status: 200, body: own });
  }
  expect((await read(token, { 'veloera-user': String(vip.id) })).body).toEqual(own);
  for (const authorization of [`Bearer sk-${'a'.repeat(48)}`, 'Bearer no-token', 'Basic dXNlcjpwYXNzd29yZA==', '']) {
    expect(await read(authorization)).toEqual({ status: 200, body: guest });
  }
  expect((await read(token, { 'veloera-user': '999' })).body).toEqual(guest);
});
