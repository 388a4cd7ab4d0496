/** Turns that the provider of a realtime session begins by itself, and events by which a user hides them. */
import { errorsOf, pause, RealtimeSite, speak, story, untilEnded, usd } from '../support/realtime-site.js';
import type { RealtimeClient } from '../support/realtime-client.js';
import type { RealtimeEvent } from '../support/upstream/realtime.js';
import { SpeakingModel } from '../support/upstream/speaking-model.js';

let site: RealtimeSite;

beforeAll(async () => (site = await RealtimeSite.open()));
afterEach(() => site.expectOrder());
afterAll(() => site.close());

const voice = (detection: object | null, isBeta = false): void => {
  site.speaker = new SpeakingModel(site.upstream, isBeta, detection);
};
/** An update that the provider accepts, and answers with the whole session. */
const harmless = { type: 'session.update', session: { type: 'realtime', instructions: '' } };
const sent = (type: string): number =>
  site.upstream.sessions.at(-1)?.events.filter((event) => event['type'] === type).length ?? 0;

describe('an event that has no effect at the provider does not end the reservation of turns', () => {
  /** Uses a balance up by one turn, and returns the session, which goes on. */
  async function spent(): Promise<RealtimeClient> {
    const client = await site.clients.session((await site.payer(120_000)).key);
    speak(client);
    await client.until('response.done');
    return client;
  }

  it.each([
    ['this server refuses the model', { type: 'transcription', model: 'x' }],
    ['this server refuses the limit', { type: 'transcription', max_output_tokens: '1' }],
    ['this server refuses the prompt', { type: 'transcription', prompt: { id: 'pmpt_of_another' } }],
    ['the provider refuses the type', { type: 'transcription' }],
    [
      'the provider refuses a field',
      { type: 'realtime', max_response_output_tokens: 1, audio: { input: { turn_detection: null } } },
    ],
  ])('%s', async (_who, session) => {
    voice({ type: 'server_vad' });
    const client = await spent();
    client.send({ type: 'session.update', session });
    await client.until('error');
    client.send(harmless);
    await client.until('session.updated', 2);
    const heard = sent('input_audio_buffer.append');
    speak(client);
    await client.until('error', 2);
    expect(errorsOf(client).at(-1)).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    await pause(100);
    expect([sent('input_audio_buffer.append'), site.speaker.made.length]).toEqual([heard, 1]);
    expect(client.closed).toBeNull();
  });

  it('the confirmation of an older update, while a newer one turns the detection on', async () => {
    voice({ type: 'server_vad' });
    const client = await spent();
    const detection = (turn_detection: object | null): RealtimeEvent => ({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { turn_detection } } },
    });
    site.speaker.confirmsAfter = 300;
    client.send(detection(null));
    await pause(200);
    client.send(detection({ type: 'server_vad' }));
    // The first update is confirmed, and the second one applies.
    await client.until('session.updated', 2);
    speak(client);
    await client.until('error');
    await client.until('session.updated', 3);
    expect(site.speaker.made).toHaveLength(1);
  });

  it('a limit that the provider refuses is not the limit of what is reserved', async () => {
    voice(null);
    const user = await site.payer(2 * usd);
    const client = await site.clients.session(user.key);
    client.send({
      type: 'session.update',
      session: { type: 'realtime', max_output_tokens: 1, max_response_output_tokens: 1 },
    });
    await client.until('error');
    for (let count = 0; count < 10; count++)
      client.send({ type: 'response.create', response: { conversation: 'none' } });
    await untilEnded(client, 11);
    client.socket.close();
    await site.expectPaid(user, 2 * usd);
    expect(site.speaker.made.length).toBeGreaterThanOrEqual(2);
  });
});

describe('audio before the session is known', () => {
  it('is reserved', async () => {
    voice({ type: 'server_vad' });
    const user = await site.payer(40_000);
    const client = site.clients.connect(undefined, { headers: { authorization: `Bearer ${user.key}` } });
    await new Promise((resolve) => client.socket.once('open', resolve));
    speak(client);
    await client.until('session.created');
    await untilEnded(client, 1);
    client.socket.close();
    await site.expectPaid(user, 40_000);
  });
});

describe('turns that begin by an idle timeout', () => {
  const idle = { type: 'server_vad', idle_timeout_ms: 5000 };
  const update = (turn_detection: object, isBeta: boolean): object =>
    isBeta ? { turn_detection } : { type: 'realtime', audio: { input: { turn_detection } } };

  it.each([true, false])('are reserved one after the other, and end with the balance: beta %p', async (isBeta) => {
    voice({ type: 'server_vad' }, isBeta);
    site.speaker.speech = { tokens: 200, milliseconds: 60, bytes: 8 };
    const user = await site.payer(1.2 * usd);
    const client = await site.clients.session(user.key);
    client.send(story(2000));
    client.send({ type: 'session.update', session: update(idle, isBeta) });
    // 20 turns cost more than the balance.
    expect(await client.untilClosed()).toBe(1008);
    expect(errorsOf(client).at(-1)).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    await site.expectPaid(user, 1.2 * usd);
    expect(site.speaker.made.length).toBeGreaterThan(3);
    expect(sent('response.create')).toBe(0);
  });

  it('are refused with the setting where the balance does not pay for one', async () => {
    voice({ type: 'server_vad' });
    const user = await site.payer(9000);
    const client = await site.clients.session(user.key);
    client.send(story(2000));
    client.send({ type: 'session.update', event_id: 'mine', session: update(idle, false) });
    await client.until('error');
    expect(errorsOf(client)).toMatchObject([{ error: { code: 'insufficient_user_quota', event_id: 'mine' } }]);
    expect([client.closed, sent('session.update')]).toEqual([null, 0]);
    await pause(200);
    expect(site.speaker.made).toEqual([]);
    client.socket.close();
    await site.expectPaid(user, 9000);
  });

  it('hold nothing once the client has turned the timeout off', async () => {
    voice({ type: 'server_vad' });
    const user = await site.payer(10 * usd);
    const client = await site.clients.session(user.key);
    client.send({ type: 'session.update', session: update({ ...idle, idle_timeout_ms: 30_000 }, false) });
    await client.until('session.updated');
    expect(await site.site.rows('SELECT 1 FROM reservations WHERE amount > 1250')).toHaveLength(1);
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection: null } } } });
    await client.until('session.updated', 2);
    expect(await site.site.rows('SELECT 1 FROM reservations WHERE amount > 1250')).toEqual([]);
  });
});
