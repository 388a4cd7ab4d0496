import { RealtimeClients, type RealtimeClient } from './realtime-client.js';
import { eventually, TaskSite } from './task-site.js';
import { startRealtimeUpstream, type RealtimeEvent, type RealtimeUpstream } from './upstream/realtime.js';
import { SpeakingModel } from './upstream/speaking-model.js';

export const usd = 500_000;
const usual = 'gpt-4o-realtime-preview';

export interface Payer {
  readonly key: string;
  /** Returns the balance, and the used quota. */
  state(): Promise<{ quota: number; used: number }>;
}

/** A site with a provider of realtime sessions that bills what it generates, and users with exact balances. */
export class RealtimeSite {
  /** Replaced before each test. */
  speaker: SpeakingModel;
  private count = 0;

  private constructor(
    readonly site: TaskSite,
    readonly upstream: RealtimeUpstream,
    readonly clients: RealtimeClients,
  ) {
    this.speaker = new SpeakingModel(upstream);
  }

  static async open(models: readonly string[] = [usual]): Promise<RealtimeSite> {
    const site = await TaskSite.open();
    const upstream = await startRealtimeUpstream();
    await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models: [...models] });
    return new RealtimeSite(site, upstream, new RealtimeClients(site.server.url, usual));
  }

  async close(): Promise<void> {
    await this.upstream.stop();
    await this.site.close();
  }

  async payer(quota: number): Promise<Payer> {
    const { site } = this;
    const { user } = await site.addCustomer(`payer-${++this.count}`);
    const row = await site.server.api.data<Record<string, unknown>>(site.root, 'GET', `/api/user/${user.id}`);
    await site.server.api.data(site.root, 'PUT', '/api/user/', { ...row, password: '', quota });
    const { key } = await site.server.api.createToken(user, { unlimited_quota: true });
    return {
      key,
      state: async () => {
        const [found] = await site.rows<{ quota: string; used: string }>(
          'SELECT quota, used_quota AS used FROM users WHERE id = $1',
          [user.id],
        );
        return { quota: Number(found?.quota), used: Number(found?.used) };
      },
    };
  }

  async expectNothingHeld(): Promise<void> {
    const held = await eventually(
      async () => (await this.site.rows('SELECT 1 FROM reservations')).length,
      (open) => open === 0,
      40,
    );
    expect(held).toBe(0);
  }

  /** Ends all sessions, and checks the ledger. */
  async expectOrder(): Promise<void> {
    this.clients.close();
    await this.expectNothingHeld();
    expect(await this.site.drift()).toEqual([]);
  }

  /**
   * Checks the ledger after everything has ended: no balance is below zero, and at least 95 % of the provider's work is
   * charged.
   */
  async expectPaid(user: Payer, quota: number): Promise<void> {
    await this.expectNothingHeld();
    const state = await user.state();
    expect(state.quota).toBeGreaterThanOrEqual(0);
    expect(state.quota + state.used).toBe(quota);
    expect(state.used).toBeGreaterThanOrEqual(0.95 * this.speaker.worth);
  }
}

/** Returns a text of so many tokens. */
export const story = (tokens: number): RealtimeEvent => ({
  type: 'conversation.item.create',
  item: {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'all the words of a long story '.repeat(tokens / 7) }],
  },
});

/** Sends speech of so many seconds, and the silence that ends it. */
export function speak(client: RealtimeClient, seconds = 1): void {
  for (let part = 0; part < seconds * 10; part++) {
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(4800, 1).toString('base64') });
  }
  client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(14_400).toString('base64') });
}

export const errorsOf = (client: RealtimeClient): RealtimeEvent[] =>
  client.events.filter(({ type }) => type === 'error');

/** Waits until so many responses have ended or were refused. */
export const untilEnded = (client: RealtimeClient, responses: number): Promise<unknown> =>
  eventually(
    () => Promise.resolve(client.events.filter(({ type }) => type === 'response.done' || type === 'error').length),
    (ended) => ended >= responses || client.closed !== null,
    30,
  );

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
