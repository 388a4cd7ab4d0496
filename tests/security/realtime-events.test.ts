/** Events of realtime sessions that a provider could read differently than they are checked. */
import { errorsOf, RealtimeSite, story, untilEnded, usd } from '../support/realtime-site.js';
import { SpeakingModel } from '../support/upstream/speaking-model.js';

let site: RealtimeSite;

beforeAll(async () => (site = await RealtimeSite.open()));
afterEach(() => site.expectOrder());
afterAll(() => site.close());

const sent = (type: string): number =>
  site.upstream.sessions.at(-1)?.events.filter((event) => event['type'] === type).length ?? 0;

describe('an event in a form that another parser may read differently', () => {
  const tool = { type: 'session.update', session: { type: 'realtime', tools: [{ type: 'web_search' }] } };
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  const bom = (text: string): Buffer => Buffer.from(`\ufeff${text}`);

  beforeEach(() => {
    site.speaker = new SpeakingModel(site.upstream, false);
    site.upstream.readsBinary = true;
  });

  it('a binary response.create is reserved, and charged', async () => {
    const user = await site.payer(100_000);
    const client = await site.clients.session(user.key);
    const create = Buffer.from(JSON.stringify({ type: 'response.create', response: { conversation: 'none' } }));
    for (let count = 0; count < 10; count++) client.socket.send(create, { binary: true });
    await untilEnded(client, 10);
    expect(errorsOf(client)).toHaveLength(9);
    client.socket.close();
    await site.expectPaid(user, 100_000);
  });

  it('a binary update gets no tool without a price', async () => {
    const client = await site.clients.session((await site.payer(100_000)).key);
    client.socket.send(Buffer.from(JSON.stringify(tool)), { binary: true });
    await client.until('error');
    expect(errorsOf(client)).toMatchObject([{ error: { code: 'tool_not_priced' } }]);
    expect(sent('session.update')).toBe(0);
  });

  const create = '{"type":"response.create"}';
  it.each<[what: string, frame: Buffer | string]>([
    ['a field that is repeated', '{"type":"ping","type":"response.create"}'],
    [
      'a field of the response that is repeated',
      '{"type":"response.create","response":{"max_output_tokens":1,"max_output_tokens":4096}}',
    ],
    ['a type in another case', '{"Type":"response.create"}'],
    ['a session with a long s', '{"type":"session.update","\u017fession":{"tools":[{"type":"web_search"}]}}'],
    ['a limit in another case', '{"type":"response.create","response":{"Max_Output_Tokens":4096}}'],
    ['a detection in another case', '{"type":"session.update","session":{"audio":{"input":{"Turn_Detection":null}}}}'],
    ['the type of a tool in another case', '{"type":"session.update","session":{"tools":[{"Type":"mcp"}]}}'],
    [
      'a file of a variable in another case',
      '{"type":"response.create","response":{"prompt":{"variables":{"a":{"File_ID":"x"}}}}}',
    ],
    ['a text that is no JSON', 'response.create'],
    ['a list', `[${create}]`],
    ['a byte order mark', bom(create)],
    ['UTF-16', utf16(create)],
  ])('%s is refused, and the session goes on', async (_what, frame) => {
    const client = await site.clients.session((await site.payer(10 * usd)).key);
    const before = site.upstream.sessions.at(-1)?.events.length;
    client.socket.send(frame, { binary: typeof frame !== 'string' });
    client.send(story(7));
    await client.until('conversation.item.created');
    expect(errorsOf(client)).toMatchObject([{ error: { code: 'invalid_request' } }]);
    expect(site.upstream.sessions.at(-1)?.events.length).toBe((before ?? 0) + 1);
    expect([client.closed, site.speaker.made]).toEqual([null, []]);
  });

  it('names of variables and in schemas of tools are free', async () => {
    const client = await site.clients.session((await site.payer(10 * usd)).key);
    const parameters = { type: 'object', properties: { Model: { type: 'string' }, Type: { type: 'string' } } };
    const tools = [{ type: 'function', name: 'f', parameters }];
    client.send({ type: 'session.update', session: { type: 'realtime', tools } });
    client.send({ type: 'session.update', session: { type: 'realtime', prompt: { variables: { Type: 'x' } } } });
    await client.until('session.updated', 0);
    client.send(story(7));
    await client.until('conversation.item.created');
    expect(errorsOf(client)).toEqual([]);
  });
});
