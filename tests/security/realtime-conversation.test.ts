/** The tokens that the next response of a realtime session reads: no event may hide a part of the conversation. */
import { errorsOf, pause, RealtimeSite, story, untilEnded } from '../support/realtime-site.js';
import type { RealtimeEvent } from '../support/upstream/realtime.js';
import { SpeakingModel } from '../support/upstream/speaking-model.js';

let site: RealtimeSite;

beforeAll(async () => {
  site = await RealtimeSite.open();
});
afterEach(() => site.expectOrder());
afterAll(() => site.close());

const voice = (detection: object | null): void => {
  site.speaker = new SpeakingModel(site.upstream, false, detection);
  site.speaker.speech = { tokens: 100, milliseconds: 40, bytes: 8 };
};
/** A response of 100 tokens costs 10,000. */
const short = { type: 'response.create', response: { max_output_tokens: 100 } };
const apart = {
  type: 'response.create',
  response: {
    max_output_tokens: 100,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
  },
};
const sound = (bytes: number, value = 1): RealtimeEvent => ({
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(bytes, value).toString('base64'),
});

it('a response with an input of its own leaves the conversation as long as it was', async () => {
  voice(null);
  // The story costs 75,000 each time it is read.
  const user = await site.payer(60_000);
  const client = await site.clients.session(user.key);
  client.send(story(28_000));
  client.send(apart);
  await client.until('response.done');
  client.send(short);
  await client.until('error');
  expect(errorsOf(client)).toMatchObject([{ error: { code: 'insufficient_user_quota' } }]);
  client.socket.close();
  await site.expectPaid(user, 60_000);
});

it('an update to a denser format counts before it is confirmed', async () => {
  voice(null);
  site.speaker.confirmsAfter = 2000;
  const user = await site.payer(100_000);
  const client = await site.clients.session(user.key);
  client.send({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { format: { type: 'audio/pcmu' }, turn_detection: null } } },
  });
  // 300 seconds are 3,000 tokens, which cost 150,000.
  client.send(sound(2_400_000));
  client.send({ type: 'input_audio_buffer.commit' });
  client.send(short);
  await client.until('error');
  expect(errorsOf(client)).toMatchObject([{ error: { code: 'insufficient_user_quota' } }]);
  client.socket.close();
  await site.expectPaid(user, 100_000);
});

it('speech counts before the provider reports that it has begun', async () => {
  voice({ type: 'server_vad' });
  const user = await site.payer(60_000);
  const client = await site.clients.session(user.key);
  await pause(100);
  // 200 seconds in one event are 2,000 tokens, which cost 100,000.
  client.send(sound(9_600_000));
  client.send(sound(14_400, 0));
  await pause(1500);
  client.socket.close();
  await site.expectPaid(user, 60_000);
});

describe('tools of an MCP server', () => {
  const server = { type: 'mcp', server_label: 'x', server_url: 'https://x.example', require_approval: 'never' };
  const update = { type: 'session.update', session: { type: 'realtime', tools: [server] } };
  beforeEach(() => {
    voice(null);
    // 24,000 tokens cost 60,000.
    site.speaker.remoteTools = [{ name: 'f', description: 'all the words of a long story '.repeat(3500) }];
  });

  it.each([
    ['a session', [update], apart],
    ['a response', [], { ...apart, response: { ...apart.response, conversation: 'none', tools: [server] } }],
  ])('count for each response: of %s', async (_name, before, create) => {
    const user = await site.payer(40_000);
    const client = await site.clients.session(user.key);
    for (const event of before) client.send(event);
    if (before.length > 0) await client.until('conversation.item.done');
    client.send(create);
    client.send(create);
    await untilEnded(client, 2);
    expect(errorsOf(client)).toMatchObject([
      { error: { code: 'insufficient_user_quota' } },
      { error: { code: 'insufficient_user_quota' } },
    ]);
    client.socket.close();
    await site.expectPaid(user, 40_000);
  });
});
