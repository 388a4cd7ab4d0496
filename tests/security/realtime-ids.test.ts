/** Ids in events of realtime sessions, by which a provider finds what it keeps for an account that several users share. */
import { idPaths } from '../../server/src/dialects/languages/provider-ids.js';
import { errorsOf, RealtimeSite, story, untilEnded, usd } from '../support/realtime-site.js';
import type { RealtimeClient } from '../support/realtime-client.js';
import type { RealtimeEvent } from '../support/upstream/realtime.js';
import { SpeakingModel } from '../support/upstream/speaking-model.js';

const own = 'gpt-realtime';
let site: RealtimeSite;
/** The key of a user with an account of their own, which serves the model `own`. */
let ownKey: string;

beforeAll(async () => {
  site = await RealtimeSite.open();
  const { user, key } = await site.site.addCustomer('owner');
  ownKey = key;
  const channel = { baseUrl: site.upstream.url, key: 'sk-own', models: [own] };
  const id = await site.site.server.api.createChannel(site.site.root, channel);
  await site.site.server.api.data(site.site.root, 'PUT', '/api/channel/', { id, owner_id: user.id });
  await site.site.setOption('SelfUseModeEnabled', 'true');
  await site.site.setOption('UnpricedTools', 'free');
});
beforeEach(() => {
  site.speaker = new SpeakingModel(site.upstream, false);
});
afterEach(() => site.expectOrder());
afterAll(() => site.close());

const sentTo = (): RealtimeEvent[] => site.upstream.sessions.at(-1)?.events ?? [];
const foreign = 'id_of_another';

/** Fields without which an object of an event would be malformed. */
const beside: Readonly<Record<string, RealtimeEvent>> = {
  session: { type: 'realtime' },
  item: { type: 'message', role: 'user' },
  'input[]': { type: 'message', role: 'user' },
  'content[]': { type: 'input_image' },
  'tools[]': { type: 'code_interpreter' },
};

/** Returns the object at a path with an id at its end. */
function withId(path: string, id: unknown): RealtimeEvent {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length > 0 ? { ...beside[name], ...withId(rest.join('.'), id) } : id;
  return { [name.replace('[]', '').replace('*', 'doc')]: name.endsWith('[]') ? [inner] : inner };
}
const typeOf = (path: string): string =>
  ({ session: 'session.update', response: 'response.create' })[path.split('.')[0] ?? ''] ?? 'conversation.item.create';
const eventWith = (path: string, id: unknown = foreign): RealtimeEvent => ({ type: typeOf(path), ...withId(path, id) });

/** Sends an event and another one after it. @returns the errors that the client got for both */
async function errorsFor(client: RealtimeClient, event: RealtimeEvent): Promise<RealtimeEvent[]> {
  const before = errorsOf(client).length;
  const items = client.events.filter(({ type }) => type === 'conversation.item.created').length;
  client.send(event);
  client.send(story(7));
  await client.until('conversation.item.created', items + 1);
  return errorsOf(client).slice(before);
}

it('every field that can name an object of the account is refused, and the session goes on', async () => {
  const client = await site.clients.session((await site.payer(10 * usd)).key);
  const passed: string[] = [];
  for (const [path] of idPaths.event) {
    const errors = await errorsFor(client, eventWith(path));
    const { code, message } = (errors[0]?.['error'] ?? {}) as { code?: string; message?: string };
    if (code !== 'unknown_id' || !message?.includes(foreign)) passed.push(`${path}: ${JSON.stringify(errors)}`);
  }
  expect(passed).toEqual([]);
  expect(JSON.stringify(sentTo())).not.toContain(foreign);
  expect([client.closed, site.speaker.made]).toEqual([null, []]);
});

it.each<[field: string, event: RealtimeEvent]>([
  ['response.conversation', { type: 'response.create', response: { conversation: foreign } }],
  ['response.conversation.id', { type: 'response.create', response: { conversation: { id: foreign } } }],
  ['session.prompt.id', { type: 'session.update', session: { type: 'realtime', prompt: { id: foreign } } }],
  ['response.prompt.id', { type: 'response.create', response: { prompt: { id: foreign, version: '2' } } }],
  [
    'response.prompt.variables.doc.file_id',
    {
      type: 'response.create',
      response: { prompt: { variables: { doc: { type: 'input_file', file_id: foreign } } } },
    },
  ],
  [
    'session.tools[0].vector_store_ids[0]',
    {
      type: 'session.update',
      session: { type: 'realtime', tools: [{ type: 'file_search', vector_store_ids: [foreign] }] },
    },
  ],
  [
    'response.tools[0].container.file_ids[0]',
    {
      type: 'response.create',
      response: { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [foreign] } }] },
    },
  ],
  [
    'item.content[0].file_id',
    {
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_image', file_id: foreign }] },
    },
  ],
  [
    'response.input[0].content[0].file_id',
    {
      type: 'response.create',
      response: {
        conversation: 'none',
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_file', file_id: foreign }] }],
      },
    },
  ],
])('%s is refused on a shared account, and passes at the account of the caller', async (field, event) => {
  const client = await site.clients.session((await site.payer(10 * usd)).key);
  const message = expect.stringContaining(`The id '${foreign}' in ${field} is not known`) as string;
  expect(await errorsFor(client, event)).toMatchObject([{ error: { code: 'unknown_id', message } }]);
  expect(JSON.stringify(sentTo())).not.toContain(foreign);

  const owner = await site.clients.session(ownKey, own);
  expect(await errorsFor(owner, event)).toEqual([]);
  expect(JSON.stringify(sentTo())).toContain(foreign);
  expect(site.upstream.sessions.at(-1)?.headers.authorization).toBe('Bearer sk-own');
  if (event['type'] === 'response.create') await untilEnded(owner, 1);
});

it('an id that is no text is refused', async () => {
  const client = await site.clients.session((await site.payer(10 * usd)).key);
  for (const id of [7, [foreign], true]) {
    for (const path of ['response.conversation', 'session.prompt.id', 'response.tools[].container']) {
      const errors = await errorsFor(client, eventWith(path, id));
      expect([path, id, errors]).toMatchObject([path, id, [{ error: { code: 'invalid_request' } }]]);
    }
  }
  expect(JSON.stringify(sentTo())).not.toContain(foreign);
});

it('names of what belongs to the session are no ids', async () => {
  const client = await site.clients.session((await site.payer(10 * usd)).key);
  client.send({ ...story(7), previous_item_id: 'item_1' });
  await client.until('conversation.item.created');
  const reference = { type: 'item_reference', id: 'item_1' };
  for (const [index, conversation] of ['auto', 'none', undefined].entries()) {
    client.send({ type: 'response.create', response: { conversation, input: [reference], max_output_tokens: 20 } });
    await client.until('response.done', index + 1);
  }
  client.send({ type: 'conversation.item.truncate', item_id: 'item_1', content_index: 0, audio_end_ms: 1 });
  client.send({ type: 'conversation.item.delete', item_id: 'item_1' });
  expect(await errorsFor(client, { type: 'conversation.item.retrieve', item_id: 'item_1' })).toEqual([]);
  expect(sentTo()).toContainEqual(expect.objectContaining({ previous_item_id: 'item_1' }));
  expect(JSON.stringify(sentTo())).toContain(JSON.stringify(reference));
});
