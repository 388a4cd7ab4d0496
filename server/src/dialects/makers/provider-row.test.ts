import { acceptsEverything } from '../accepts.js';
import type { OpenAiVariant } from './openai-compatible/variant.js';
import type { ProviderRow } from '../providers/provider.js';
import type { Person } from '../../../../tests/support/api.js';
import { startServer, type TestServer } from '../../../../tests/support/server.js';
import { chat, json } from '../../../../tests/support/upstream/replies.js';
import { startUpstream, type Upstream } from '../../../../tests/support/upstream/upstream.js';

/* A new row in the folder of a maker is a working provider: no other code of the server contains its number or name. */

let server: TestServer;
let upstream: Upstream;
let root: Person;

beforeAll(async () => {
  upstream = await startUpstream();
  addRow(upstream.url);
  server = await startServer();
  root = await server.api.setUp();
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

/** Adds the row to those of a maker. The server is loaded after this call. */
function addRow(defaultBaseUrl: string): void {
  jest.doMock('./submodel/rows.js', () => {
    const { rows } = jest.requireActual<{ rows: readonly ProviderRow[] }>('./submodel/rows.js');
    const { openAICompatible } = jest.requireActual<{
      openAICompatible: (variant: OpenAiVariant) => ProviderRow['adapter'];
    }>('./openai-compatible/openai-compatible.js');
    const row: ProviderRow = {
      id: 900,
      name: 'new-provider',
      label: 'New Provider',
      defaultBaseUrl,
      models: ['new-small', 'new-large'],
      balance: async ({ base, key, get }) => {
        const { left } = (await get(`${base}/balance`, { 'x-key': key })) as { left: number };
        return left;
      },
      accepts: { ...acceptsEverything, developerRole: false, accountFields: [] },
      retriesBadRequest: true,
      adapter: openAICompatible({ chat: '/own/chat', capabilities: { embeddings: '/own/embeddings' } }),
    };
    return { rows: [...rows, row] };
  });
}

it('works from the console to the upstream', async () => {
  // The console offers the type and its models.
  const { data } = await server.api.graphql(root, '{ channelTypes { id provider label defaultBaseUrl models } }');
  expect((data as { channelTypes: unknown[] }).channelTypes).toContainEqual({
    id: 900,
    provider: 'NEW_PROVIDER',
    label: 'New Provider',
    defaultBaseUrl: upstream.url,
    models: ['new-small', 'new-large'],
  });
  const catalogue = await server.api.data<Array<{ id: string; owned_by: string }>>(root, 'GET', '/api/channel/models');
  expect(catalogue.find(({ id }) => id === 'new-small')).toMatchObject({ owned_by: 'new-provider' });

  // A channel without a base URL uses the default one; its models are listed there.
  const channel = await server.api.createChannel(root, { type: 900, baseUrl: '', key: 'k1', models: ['gpt-4o'] });
  upstream.script({ path: '/v1/models' }, json({ data: [{ id: 'new-small' }, { id: 'new-huge' }] }));
  expect(await server.api.data(root, 'GET', `/api/channel/fetch_models/${channel}`)).toEqual(['new-small', 'new-huge']);

  // Its balance is read as the row defines.
  upstream.script({ path: '/balance' }, json({ left: 12.5 }));
  const refreshed = await server.api.rest(root, 'GET', `/api/channel/update_balance/${channel}`);
  expect(refreshed.body).toMatchObject({ success: true, balance: 12.5 });

  // Clients see the maker of the model, not the provider that serves it here, and can call the model.
  const { key } = await server.api.createToken(root);
  const bearer = { authorization: `Bearer ${key}` };
  const models = (await (await fetch(`${server.url}/v1/models`, { headers: bearer })).json()) as {
    data: Array<{ id: string; owned_by: string }>;
  };
  expect(models.data.find(({ id }) => id === 'gpt-4o')).toMatchObject({ owned_by: 'openai' });

  upstream.script({ path: '/own/chat' }, chat({ text: 'Hello', usage: { prompt_tokens: 10, completion_tokens: 2 } }));
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', store: true, messages: [{ role: 'developer', content: 'hi' }] }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tollgate-dropped')).toBe('store');
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  const asked = upstream.requests.at(-1);
  expect(asked).toMatchObject({ path: '/own/chat', key: 'k1' });
  expect(asked?.body).toEqual({ model: 'gpt-4o', messages: [{ role: 'system', content: 'hi' }] });

  // Another endpoint that its dialect lists is called at its own path.
  upstream.script({ path: '/own/embeddings' }, json({ object: 'list', data: [], usage: { prompt_tokens: 1 } }));
  const embedded = await fetch(`${server.url}/v1/embeddings`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', input: 'hi' }),
  });
  expect(embedded.status).toBe(200);
  expect(upstream.requests.at(-1)).toMatchObject({ path: '/own/embeddings', key: 'k1' });
});
