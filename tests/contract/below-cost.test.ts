import { Site, type Person } from './site.js';

/* Prices below the cost of a channel, as the console asks for them before it saves. */

let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());
beforeEach(() => site.query('DELETE FROM channels'));

async function create(name: string, more: Record<string, unknown> = {}): Promise<number> {
  const input = { name, type: 'OPENAI', keys: ['sk-1'], models: ['gpt-4.1'], ...more };
  const document = 'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }';
  const { data, text } = await site.graphql(root, document, { input });
  if (!data?.['createChannel']) throw new Error(text);
  return (data['createChannel'] as { channel: { id: number } }).channel.id;
}

const document = `query ($settings: [ProposedSettingInput!], $channel: ProposedChannelInput) {
  salesBelowCost(settings: $settings, channel: $channel) {
    channelId channelName modelName groups quantity price cost above when { tier }
  }
}`;

async function losses(variables: Record<string, unknown> = {}): Promise<unknown> {
  const { data, text } = await site.graphql(root, document, variables);
  if (!data) throw new Error(text);
  return data['salesBelowCost'];
}

const setting = (key: string, value: object): object => ({ key, value: JSON.stringify(value) });

it('finds none where models are sold at the list price, or nothing can be compared', async () => {
  await create('fresh', { models: ['gpt-4.1', 'gpt-5.5', 'unlisted', 'mj_imagine'] });
  expect(await losses()).toEqual([]);
});

it('compares proposed prices with each enabled channel, by its factor, its card and its mapping', async () => {
  // gpt-4.1 is listed at $2 and $8.
  const listed = await create('listed');
  const cheap = await create('cheap', { cost: { factor: 0.5 } });
  const carded = await create('carded', { cost: { cards: { 'gpt-4.1': { prices: { input: 1, output: 9 } } } } });
  const mapped = await create('mapped', { models: ['house'], modelMapping: [{ from: 'house', to: 'gpt-4.1' }] });
  await create('disabled');
  await site.query(`UPDATE channels SET status = 'disabled' WHERE name = 'disabled'`);
  const cards = {
    'gpt-4.1': { prices: { input: 1.5, cachedInput: 1.5, output: 8, webSearch: 0 } },
    house: { prices: { input: 2, cachedInput: 2, output: 4 } },
  };
  const line = { groups: ['default'], above: 0, when: null };
  expect(await losses({ settings: [setting('PriceCards', cards)] })).toEqual([
    { ...line, channelId: listed, channelName: 'listed', modelName: 'gpt-4.1', quantity: 'input', price: 1.5, cost: 2 },
    // The card charges nothing for searches, whose list price is $0.025.
    {
      ...line,
      channelId: cheap,
      channelName: 'cheap',
      modelName: 'gpt-4.1',
      quantity: 'webSearch',
      price: 0,
      cost: 0.0125,
    },
    { ...line, channelId: carded, channelName: 'carded', modelName: 'gpt-4.1', quantity: 'output', price: 8, cost: 9 },
    { ...line, channelId: mapped, channelName: 'mapped', modelName: 'house', quantity: 'output', price: 4, cost: 8 },
  ]);
});

it('asks only about losses that the proposed prices cause or enlarge, beside the saved price', async () => {
  const caused = `query ($settings: [ProposedSettingInput!]) {
    salesBelowCost(settings: $settings, causedOnly: true) { channelName modelName groups quantity price savedPrice groupRatio savedGroupRatio cost } }`;
  const ask = async (...settings: object[]): Promise<unknown> => {
    const { data, text } = await site.graphql(root, caused, { settings });
    if (!data) throw new Error(text);
    return data['salesBelowCost'];
  };
  const card = (prices: object) => setting('PriceCards', { 'gpt-4.1': { prices } });
  // It loses at the list prices of $2 and $8, with searches too.
  await create('dear', { groups: ['default', 'vip'], cost: { factor: 1.3 } });
  expect(await losses()).toMatchObject([{ quantity: 'input', price: 2, cost: 2.6 }]);
  // A price above the cost of tokens leaves the loss of searches, which did not change.
  expect(await ask(card({ input: 3, cachedInput: 0.75, output: 12 }))).toEqual([]);
  expect(await ask(card({ input: 2.1, cachedInput: 0.65, output: 10.4 }))).toEqual([]);
  const line = { channelName: 'dear', modelName: 'gpt-4.1', groups: ['default', 'vip'] };
  expect(await ask(card({ input: 1.5, cachedInput: 0.65, output: 10.4 }))).toEqual([
    { ...line, quantity: 'input', price: 1.5, savedPrice: 2, groupRatio: 1, savedGroupRatio: 1, cost: 2.6 },
  ]);
  // A smaller ratio of a group enlarges its loss, of tokens and of tools.
  expect(await ask(setting('GroupRatio', { default: 1, vip: 0.9 }))).toMatchObject([
    { ...line, quantity: 'input', price: 2, groupRatio: 0.9, savedGroupRatio: 1 },
    { ...line, quantity: 'codeExecution' },
  ]);
});

it('names the groups whose ratio brings a price below the cost', async () => {
  await create('c', { groups: ['default', 'vip', 'svip'], cost: { factor: 0.8 } });
  expect(await losses({ settings: [setting('GroupRatio', { default: 1, vip: 0.8, svip: 0.7 })] })).toMatchObject([
    { modelName: 'gpt-4.1', groups: ['svip'] },
  ]);
});

it('compares a channel as it would be saved, in place of the stored one', async () => {
  const id = await create('c');
  const channel = { id, name: 'c', models: ['gpt-4.1'], groups: ['default'], costFactor: 1.5, costCards: null };
  expect(await losses({ channel })).toMatchObject([{ channelId: id, modelName: 'gpt-4.1', cost: 3, price: 2 }]);
  expect(await losses({ channel: { ...channel, costFactor: 1 } })).toEqual([]);
  const costCards = { 'gpt-*': { prices: { input: 1, output: 20 } } };
  expect(await losses({ channel: { ...channel, id: null, costCards } })).toMatchObject([
    { channelId: null, quantity: 'output', price: 8, cost: 20 },
  ]);
});

it('refuses what cannot be saved, and users', async () => {
  const channel = { id: null, name: 'c', models: [], groups: [], costFactor: -1, costCards: null };
  expect((await site.graphql(root, document, { channel })).codes).toEqual(['INVALID_INPUT']);
  const settings = [setting('RetryTimes', {})];
  expect((await site.graphql(root, document, { settings })).codes).toEqual(['INVALID_INPUT']);
  const user = await site.invite(root);
  expect((await site.graphql(user, document)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('shows what a model is sold for by group, and what it costs at each enabled channel', async () => {
  const listed = await create('listed', { cost: { factor: 0.5 }, groups: ['default', 'vip'] });
  const carded = await create('carded', {
    cost: { cards: { house: { prices: { input: 1, output: 9 } } } },
    models: ['house'],
  });
  await create('other', { models: ['gpt-5.5'] });
  const disabled = await create('disabled');
  await site.query(`UPDATE channels SET status = 'disabled' WHERE id = ${disabled}`);
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1,"vip":0.8}' });
  const query = `query ($name: String!) { modelSale(modelName: $name) {
    effective { source } groups { name ratio }
    costs { channelId channel { name } channelName groups basis factor lines { quantity price isPerMillion } } } }`;
  const saleOf = async (name: string) => {
    const { data, text } = await site.graphql(root, query, { name });
    if (!data) throw new Error(text);
    return data['modelSale'];
  };
  // gpt-4.1 is listed at $2 and $8.
  expect(await saleOf('gpt-4.1')).toMatchObject({
    effective: { source: 'LIST' },
    groups: [
      { name: 'default', ratio: 1 },
      { name: 'vip', ratio: 0.8 },
    ],
    costs: [
      {
        channelId: listed,
        channel: { name: 'listed' },
        basis: 'LIST',
        factor: 0.5,
        groups: ['default', 'vip'],
        lines: expect.arrayContaining([
          { quantity: 'input', price: 1, isPerMillion: true },
          { quantity: 'output', price: 4, isPerMillion: true },
        ]),
      },
    ],
  });
  expect(await saleOf('house')).toMatchObject({
    effective: null,
    costs: [{ channelId: carded, channelName: 'carded', basis: 'CARD', factor: 1 }],
  });
  expect(await saleOf('nowhere')).toEqual({ effective: null, groups: [], costs: [] });
});
