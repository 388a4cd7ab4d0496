/** Users try to get more from a provider of realtime sessions than their balance pays for. */
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import type { RealtimeClient } from '../support/realtime-client.js';
import { errorsOf, pause, type Payer, RealtimeSite, speak, story, untilEnded, usd } from '../support/realtime-site.js';
import { send, usageOf } from '../support/upstream/realtime.js';
import { quotaOf, SpeakingModel } from '../support/upstream/speaking-model.js';

let site: RealtimeSite;

beforeAll(async () => (site = await RealtimeSite.open()));
beforeEach(() => (site.speaker = new SpeakingModel(site.upstream)));
afterEach(() => site.expectOrder());
afterAll(() => site.close());

const outOfBand = { type: 'response.create', response: { conversation: 'none' } };
const sessions = (user: Payer, number: number): Promise<RealtimeClient[]> =>
  Promise.all(Array.from({ length: number }, () => site.clients.session(user.key)));

describe('a balance pays for what the provider makes', () => {
  it.each([0.05, 0.12])('20 sessions at once on %d USD', async (dollars) => {
    const user = await site.payer(dollars * usd);
    // The reservations of 20 openings may use the whole balance.
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => site.clients.session(user.key)));
    const all = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(all.length).toBeGreaterThan(15);
    for (const client of all) {
      client.send(story(2000));
      client.send({ type: 'response.create' });
    }
    await Promise.all(all.map((client) => untilEnded(client, 1)));
    for (const client of all) client.socket.close();
    await site.expectPaid(user, dollars * usd);
  });

  it.each([0.05, 5, 30])('30 responses at once on %d USD', async (dollars) => {
    const user = await site.payer(dollars * usd);
    const client = await site.clients.session(user.key);
    for (let count = 0; count < 30; count++) client.send(outOfBand);
    await untilEnded(client, 30);
    expect(client.closed).toBeNull();
    // The balance pays for at least so many of the responses.
    expect(site.speaker.made.length).toBeGreaterThanOrEqual(Math.min(30, Math.floor((dollars * usd) / 409_600)));
    client.socket.close();
    await site.expectPaid(user, dollars * usd);
  });

  it('30 responses at once, whose client disconnects after 0.3 s', async () => {
    const user = await site.payer(30 * usd);
    const client = await site.clients.session(user.key);
    for (let count = 0; count < 30; count++) client.send(outOfBand);
    await pause(300);
    client.socket.terminate();
    await site.expectPaid(user, 30 * usd);
    expect(site.speaker.made.length).toBeGreaterThan(0);
  });

  it('5 sessions that are left before the response ends', async () => {
    const user = await site.payer(10 * usd);
    const all = await sessions(user, 5);
    for (const client of all) {
      client.send(story(2000));
      client.send({ type: 'response.create' });
    }
    for (const client of all) await client.until('response.created');
    for (const client of all) client.socket.terminate();
    await site.expectPaid(user, 10 * usd);
    expect(site.speaker.worth).toBeGreaterThan(5 * 409_600);
  });

  it('input that response.create carries, left before the report', async () => {
    site.speaker.speech = { ...site.speaker.speech, tokens: 10 };
    const user = await site.payer(10 * usd);
    const client = await site.clients.session(user.key);
    const text = 'all the words of a long story '.repeat(1000);
    client.send({ type: 'response.create', response: { conversation: 'none', instructions: text, input: [] } });
    await client.until('response.created');
    client.socket.terminate();
    await site.expectPaid(user, 10 * usd);
    expect(site.speaker.worth).toBeGreaterThan(7000 * 2.5);
  });

  it('a report beyond any limit of the model stops at the balance', async () => {
    site.upstream.answer = ({ socket }) =>
      send(socket, {
        type: 'response.done',
        response: { id: 'r', usage: usageOf({ textIn: 0, textOut: 0, audioIn: 0, audioOut: 1e6 }) },
      });
    const user = await site.payer(0.5 * usd);
    const client = await site.clients.session(user.key);
    client.send({ type: 'response.create' });
    await client.until('response.done');
    client.socket.close();
    await site.expectNothingHeld();
    // The charge is the whole balance, except for the 1,250 that are reserved for the session.
    const used = 0.5 * usd - 1250;
    expect(await user.state()).toEqual({ quota: 1250, used });
    const [row] = await site.site.chargedRows(1);
    // The charge is at most twice the maximum output of the model.
    expect(row).toMatchObject({ quota: used, other: { uncharged_quota: 8192 * 100 - used } });
    expect(row && explainCharge(row).quota).toBe(used);
  });
});

describe('a balance that does not pay for the largest output', () => {
  it.each([true, false])('limits it, and goes on until nothing useful is left: beta %p', async (isBeta) => {
    site.speaker = new SpeakingModel(site.upstream, isBeta);
    const user = await site.payer(100_000);
    const client = await site.clients.session(user.key);
    client.send({ type: 'response.create' });
    await client.until('response.done');
    const [first] = site.speaker.made;
    // The session has reserved 1,250. The rest pays for 987 tokens.
    expect(first?.audioOut).toBe(987);
    expect(client.events.at(-1)).toMatchObject({ response: { status: 'incomplete' } });
    client.send({ type: 'response.create', event_id: 'mine' });
    await client.until('error');
    expect(errorsOf(client)).toEqual([
      {
        type: 'error',
        event_id: expect.any(String) as string,
        error: {
          type: 'veloera_error',
          code: 'insufficient_user_quota',
          message: expect.stringContaining('quota is not enough') as string,
          param: '',
          event_id: 'mine',
        },
      },
    ]);
    expect(site.upstream.sessions.at(-1)?.events.filter(({ type }) => type === 'response.create')).toHaveLength(1);
    // The session continues: a balance that grows pays for another response.
    client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [] } });
    await client.until('conversation.item.created');
    client.socket.close();
    await site.expectPaid(user, 100_000);
    expect(quotaOf(first ?? { textIn: 0, audioIn: 0, audioOut: 0 })).toBe((await user.state()).used);
  });

  it('never raises the limit that the client names', async () => {
    const user = await site.payer(10 * usd);
    const client = await site.clients.session(user.key);
    client.send({ type: 'response.create', response: { max_output_tokens: 40 } });
    await client.until('response.done');
    client.send({ type: 'session.update', session: { max_response_output_tokens: 30 } });
    client.send({ type: 'response.create' });
    await client.until('response.done', 2);
    expect(site.speaker.made.map(({ audioOut }) => audioOut)).toEqual([40, 30]);
  });

  it('ends a response of a provider that ignores the limit', async () => {
    site.speaker.obeys = false;
    site.speaker.speech = { tokens: 4096, milliseconds: 4000, bytes: 2400 };
    const user = await site.payer(100_000);
    const client = await site.clients.session(user.key);
    client.send({ type: 'response.create' });
    await client.until('response.done');
    expect(client.events.at(-1)).toMatchObject({ response: { status: 'cancelled' } });
    expect(site.speaker.made[0]?.audioOut).toBeLessThan(2000);
    expect((await user.state()).quota).toBeGreaterThanOrEqual(0);
  });
});

it('a response that the provider refuses costs nothing, and its error names the event of the client alone', async () => {
  const user = await site.payer(10 * usd);
  const client = await site.clients.session(user.key);
  client.send({ type: 'response.create' });
  await client.until('response.created');
  client.send({ type: 'response.create' });
  client.send({ type: 'response.create', event_id: 'third' });
  await client.until('error', 2);
  expect(errorsOf(client)).toMatchObject([
    { error: { code: 'conversation_already_has_active_response', event_id: null } },
    { error: { code: 'conversation_already_has_active_response', event_id: 'third' } },
  ]);
  await client.until('response.done');
  const held = await site.site.rows('SELECT 1 FROM reservations WHERE amount > 1250');
  expect(held).toEqual([]);
  expect((await user.state()).used).toBe(site.speaker.worth);
});

describe('turns that the server begins', () => {
  it.each([true, false])('are reserved before the provider hears the user: beta %p', async (isBeta) => {
    site.speaker = new SpeakingModel(site.upstream, isBeta, { type: 'server_vad', create_response: true });
    const user = await site.payer(120_000);
    const client = await site.clients.session(user.key);
    speak(client);
    await client.until('response.done');
    expect(site.speaker.made[0]?.audioOut).toBeLessThan(1188);
    // The rest of the balance does not pay for a response, so nothing more is sent to the provider.
    speak(client);
    await client.until('error');
    expect(errorsOf(client)[0]).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    expect(client.closed).toBeNull();
    expect(site.speaker.made).toHaveLength(1);
    client.socket.close();
    await site.expectPaid(user, 120_000);
  });

  it('are charged when the client hangs up', async () => {
    site.speaker = new SpeakingModel(site.upstream, false, { type: 'semantic_vad' });
    const user = await site.payer(10 * usd);
    const client = await site.clients.session(user.key);
    speak(client);
    client.send({ type: 'ping' });
    await client.until('response.created');
    client.socket.terminate();
    await site.expectPaid(user, 10 * usd);
    expect(site.speaker.worth).toBeGreaterThan(400_000);
  });

  it('interrupt each other, and all are charged', async () => {
    site.speaker = new SpeakingModel(site.upstream, false, { type: 'server_vad' });
    const user = await site.payer(20 * usd);
    const client = await site.clients.session(user.key);
    for (let turn = 1; turn <= 5; turn++) {
      speak(client);
      await client.until('response.created', turn);
      await pause(60);
    }
    await client.until('response.done', 5);
    expect(errorsOf(client)).toEqual([]);
    client.socket.close();
    await site.expectPaid(user, 20 * usd);
    expect(site.speaker.made).toHaveLength(5);
  });
});
