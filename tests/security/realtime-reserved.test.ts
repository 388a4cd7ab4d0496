/** How much is reserved for a response of a realtime session. */
import { errorsOf, pause, RealtimeSite, speak, story, untilEnded, usd } from '../support/realtime-site.js';
import { eventually } from '../support/task-site.js';
import type { RealtimeEvent } from '../support/upstream/realtime.js';
import { SpeakingModel } from '../support/upstream/speaking-model.js';

const unpublished = 'voice-of-a-house';

let site: RealtimeSite;

beforeAll(async () => {
  site = await RealtimeSite.open(['gpt-4o-realtime-preview', unpublished]);
  // The price of gpt-4o-realtime-preview.
  const card = { prices: { input: 5, output: 20, audioInput: 100, audioOutput: 200 } };
  await site.site.setOption('PriceCards', JSON.stringify({ [unpublished]: card }));
});
afterEach(() => site.expectOrder());
afterAll(() => site.close());

const voice = (detection: object | null): void => {
  site.speaker = new SpeakingModel(site.upstream, false, detection);
};
const sent = (type: string): number =>
  site.upstream.sessions.at(-1)?.events.filter((event) => event['type'] === type).length ?? 0;

describe('what is reserved for a response', () => {
  /** A response of 100 tokens costs 10,000. */
  const short = { type: 'response.create', response: { max_output_tokens: 100 } };
  beforeEach(() => {
    voice(null);
    site.speaker.speech = { tokens: 100, milliseconds: 40, bytes: 8 };
  });
  const held = async (): Promise<number> => {
    const [row] = await site.site.rows<{ sum: string }>(
      'SELECT coalesce(sum(amount), 0) AS sum FROM reservations WHERE amount > 1250',
    );
    return Number(row?.sum);
  };

  it('contains the conversation, with the audio of the response before', async () => {
    const user = await site.payer(10 * usd);
    const client = await site.clients.session(user.key);
    client.send(story(2100));
    client.send(short);
    await client.until('response.done');
    const [first] = site.speaker.made;
    // The next turn reads what the first one read and generated.
    site.speaker.speech = { tokens: 100, milliseconds: 2000, bytes: 8 };
    client.send(short);
    await client.until('response.created', 2);
    const least = ((first?.textIn ?? 0) + 100 * 20 + 100 * 40) * 2.5;
    expect(first?.textIn).toBeGreaterThan(2000);
    expect(await held()).toBeGreaterThanOrEqual(least);
    expect(await held()).toBeLessThan(least * 1.1);
    client.socket.close();
    await site.expectPaid(user, 10 * usd);
  });

  it('is refused for the second turn where the balance pays for its output alone', async () => {
    // The text costs 5,250, and the output 10,000. The second turn reads 100 tokens of audio more, for 5,000.
    const user = await site.payer(1250 + 15_500 + 14_000);
    const client = await site.clients.session(user.key);
    client.send(story(2100));
    client.send(short);
    await client.until('response.done');
    client.send(short);
    await client.until('error');
    expect(errorsOf(client)).toMatchObject([{ error: { code: 'insufficient_user_quota' } }]);
    expect(site.speaker.made).toHaveLength(1);
    client.socket.close();
    await site.expectPaid(user, 1250 + 15_500 + 14_000);
  });

  it.each([
    ['instructions', { instructions: 'all the words of a long story '.repeat(1000) }],
    ['input', { input: (story(7000)['item'] as RealtimeEvent)['content'] }],
    ['tools', { tools: [{ type: 'function', name: 'f', description: 'all the words of a long story '.repeat(1000) }] }],
  ])('contains the %s that response.create carries', async (_name, own) => {
    const create = { type: 'response.create', response: { ...short.response, conversation: 'none', ...own } };
    // 7,000 tokens of text cost 17,500, and the output costs 10,000.
    const poor = await site.payer(1250 + 10_000 + 7500);
    const refused = await site.clients.session(poor.key);
    refused.send(create);
    await refused.until('error');
    expect(errorsOf(refused)).toMatchObject([{ error: { code: 'insufficient_user_quota' } }]);
    expect(site.speaker.made).toEqual([]);
    const rich = await site.payer(1250 + 10_000 + 20_000);
    const client = await site.clients.session(rich.key);
    client.send(create);
    await client.until('response.done');
    for (const each of [refused, client]) each.socket.close();
    await site.expectPaid(rich, 31_250);
  });

  it('contains a text that follows speech, before the provider answers the speech', async () => {
    voice({ type: 'semantic_vad' });
    const user = await site.payer(60_000);
    const client = await site.clients.session(user.key);
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(4800, 1).toString('base64') });
    await eventually(
      () => Promise.resolve(sent('input_audio_buffer.append')),
      (count) => count === 1,
    );
    const long = { ...story(70_000), event_id: 'mine' };
    client.send(long);
    await client.until('error');
    expect(errorsOf(client)).toMatchObject([{ error: { code: 'insufficient_user_quota', event_id: 'mine' } }]);
    expect(sent('conversation.item.create')).toBe(0);
    // The refused text is not part of the conversation.
    await pause(1100);
    speak(client);
    await client.until('response.done');
    client.socket.close();
    await site.expectPaid(user, 60_000);
  });

  it('20 sessions at once, whose balance pays for responses of some of them', async () => {
    site.speaker.speech = { tokens: 4096, milliseconds: 1000, bytes: 8 };
    const user = await site.payer(0.5 * usd);
    const all = await Promise.all(Array.from({ length: 20 }, () => site.clients.session(user.key)));
    for (const client of all) {
      client.send(story(2100));
      client.send({ type: 'response.create' });
    }
    await Promise.all(all.map((client) => untilEnded(client, 1)));
    expect(site.speaker.made.length).toBeGreaterThan(0);
    expect(site.speaker.worth).toBeGreaterThan(0.3 * usd);
    for (const client of all) client.socket.close();
    await site.expectPaid(user, 0.5 * usd);
  });
});

describe('a model without published limits', () => {
  const openAt = async (quota: number) => {
    const user = await site.payer(quota);
    return { user, client: await site.clients.session(user.key, unpublished) };
  };
  beforeEach(() => {
    voice(null);
    site.speaker.longest = 10_000;
    site.speaker.speech = { tokens: 10_000, milliseconds: 1000, bytes: 8 };
  });

  it('is sent the 4,096 tokens that are reserved as its limit', async () => {
    const { user, client } = await openAt(10 * usd);
    for (let count = 0; count < 20; count++)
      client.send({ type: 'response.create', response: { conversation: 'none' } });
    await untilEnded(client, 20);
    // The balance pays for twelve of them, and a part of one.
    const made = site.speaker.made.map(({ audioOut }) => audioOut);
    expect(made.filter((tokens) => tokens === 4096)).toHaveLength(12);
    expect(Math.max(...made)).toBe(4096);
    client.socket.close();
    await site.expectPaid(user, 10 * usd);
  });

  it('has the limit that its client names, which is reserved', async () => {
    const { user, client } = await openAt(10 * usd);
    client.send({ type: 'response.create', response: { max_output_tokens: 8000 } });
    await client.until('response.done');
    expect(site.speaker.made).toMatchObject([{ audioOut: 8000 }]);
    client.socket.close();
    await site.expectPaid(user, 10 * usd);
  });
});
