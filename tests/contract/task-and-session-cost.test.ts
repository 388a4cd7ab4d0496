import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { ModelRateLimit } from '../../server/src/gateway/admit/rate-limit.js';
import { UnavailableError } from '../../server/src/shared/errors.js';
import { RealtimeClients } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { send, startRealtimeUpstream, turn, type RealtimeUpstream } from '../support/upstream/realtime.js';

/* Sale and cost of tasks and realtime sessions. All figures are computed by hand: 500,000 quota are 1 USD. */

let site: TaskSite;
let provider: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  [site, provider] = await Promise.all([TaskSite.open(), startRealtimeUpstream()]);
  clients = new RealtimeClients(site.server.url, 'gpt-realtime');
  const realtime = await site.server.api.createChannel(site.root, {
    baseUrl: provider.url,
    models: ['gpt-realtime', 'gpt-realtime-mini', 'gpt-4o-realtime-preview', 'gpt-4o-mini-realtime-preview'],
  });
  await setCost(realtime, {
    factor: 0.5,
    cards: {
      'gpt-4o-realtime-preview': { prices: { input: 5, output: 20, audioInput: 40, audioOutput: 80 } },
      'gpt-realtime-mini': { prices: { input: 0, audioInput: 0, output: 1, audioOutput: 1 } },
    },
  });
  await setCost(site.musicChannel, { factor: 0.5, cards: { suno_music: { prices: { request: 0.03 } } } });
  await setCost(site.drawingChannel, {
    cards: {
      'mj_*': { prices: { request: 0.5 } },
      mj_imagine: { prices: { request: 0.0125 } },
      swap_face: { prices: { request: 0.25 } },
    },
  });
});
afterEach(async () => {
  clients.close();
  await nothingReserved();
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await provider.stop();
  await site.close();
});

const nothingReserved = (): Promise<number> =>
  eventually(
    async () => (await site.rows('SELECT 1 FROM reservations')).length,
    (count) => count === 0,
  );

async function setCost(id: number, cost: object): Promise<void> {
  const { errors } = await site.server.api.graphql(
    site.root,
    'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { id } } }',
    { input: { id, cost } },
  );
  expect(errors).toEqual([]);
}

interface Logged {
  readonly usd: number;
  readonly upstreamUsd: number | null;
  readonly cost: Record<string, unknown> | null;
}

async function lastRow(modelName: string): Promise<Logged> {
  const row = 'usd upstreamUsd cost { usd marginUsd basis card factor lines { quantity count price usd } }';
  const { data } = await site.server.api.graphql(
    site.root,
    `query ($models: [String!]) { logs(filter: { types: [CONSUME], models: $models }, pageSize: 1) { items { ${row} } } }`,
    { models: [modelName] },
  );
  const [found] = (data?.['logs'] as { items: Logged[] } | undefined)?.items ?? [];
  if (!found) throw new Error(`no row of ${modelName}`);
  return found;
}

/** USD of all calls of a model: charged, cost, margin. */
async function sums(modelName: string): Promise<Record<string, unknown> | undefined> {
  const { data, errors } = await site.server.api.graphql(
    site.root,
    `query ($models: [String!]) { usage(groupBy: [MODEL], filter: { models: $models }) {
       items { metrics { calls usd cost { knownCalls upstreamUsd marginUsd } } } } }`,
    { models: [modelName] },
  );
  expect(errors).toEqual([]);
  return (data?.['usage'] as { items: Array<{ metrics: Record<string, unknown> }> }).items[0]?.metrics;
}

describe('a task', () => {
  it('costs what the card of its channel says for one request', async () => {
    const before = await site.balances();
    const song = await site.call('POST', '/suno/submit/music', { prompt: 'la la', title: 'T', tags: 'pop' });
    expect(song.body.code).toBe('success');
    // The sale is the usual $0.1, and the provider reports a cost of $0.03. A factor applies to list prices only.
    expect(before.quota - (await site.balances()).quota).toBe(50_000);
    expect(await lastRow('suno_music')).toEqual({
      usd: 0.1,
      upstreamUsd: 0.03,
      cost: {
        usd: 0.03,
        marginUsd: 0.07,
        basis: 'CARD',
        card: 'suno_music',
        factor: 1,
        lines: [{ quantity: 'request', count: 1, price: 0.03, usd: 0.03 }],
      },
    });
    expect(await sums('suno_music')).toEqual({
      calls: 1,
      usd: 0.1,
      cost: { knownCalls: 1, upstreamUsd: 0.03, marginUsd: expect.closeTo(0.07, 9) as number },
    });
  });

  it('without a card has an unknown cost, not one of zero', async () => {
    const before = await site.balances();
    await site.call('POST', '/suno/submit/LYRICS', { prompt: 'a song' });
    expect(before.quota - (await site.balances()).quota).toBe(5000);
    expect(await lastRow('suno_lyrics')).toEqual({ usd: 0.01, upstreamUsd: null, cost: null });
    expect(await sums('suno_lyrics')).toMatchObject({ cost: { knownCalls: 0, upstreamUsd: 0, marginUsd: 0 } });
  });

  it('is sold at the card of its model, by the group, and costs by the most specific card', async () => {
    await site.setOption('GroupRatio', '{"default":0.8}');
    const before = await site.balances();
    await site.call('POST', '/mj/submit/imagine', { prompt: 'a cat' });
    await site.setOption('GroupRatio', '{"default":1}');
    // $0.1 x 0.8
    expect(before.quota - (await site.balances()).quota).toBe(40_000);
    expect(await lastRow('mj_imagine')).toMatchObject({
      usd: 0.08,
      upstreamUsd: 0.0125,
      cost: { marginUsd: 0.0675, basis: 'CARD', card: 'mj_imagine' },
    });
  });

  it('is sold at the price of an image, as the price list shows it', async () => {
    await site.setOption('PriceCards', '{"suno_lyrics":{"prices":{"image":0.02}}}');
    const before = await site.balances();
    await site.call('POST', '/suno/submit/LYRICS', { prompt: 'a song' });
    await site.setOption('PriceCards', '{}');
    expect(before.quota - (await site.balances()).quota).toBe(10_000);
    expect(await lastRow('suno_lyrics')).toMatchObject({ usd: 0.02 });
  });

  it('may be sold below its cost', async () => {
    await site.setOption('PriceCards', '{"swap_face":{"prices":{"request":0.2}}}');
    await site.setOption('ModelPrice', '{"mj_imagine":0.1}');
    const before = await site.balances();
    const { status } = await site.call('POST', '/mj/insight-face/swap', {
      sourceBase64: 'data:image/png;base64,iVBORw0KGgo=',
      targetBase64: 'data:image/png;base64,iVBORw0KGgo=',
    });
    expect(status).toBe(200);
    expect(before.quota - (await site.balances()).quota).toBe(100_000);
    expect(await lastRow('swap_face')).toMatchObject({
      usd: 0.2,
      upstreamUsd: 0.25,
      cost: { marginUsd: -0.05, basis: 'CARD', card: 'swap_face' },
    });
  });
});

describe('a session', () => {
  /** Runs one session with some requests. @returns the charged quota */
  async function speak(model: string, ...turns: Array<RealtimeUpstream['answer']>): Promise<number> {
    const before = await site.balances();
    const client = await clients.session(site.key, model);
    for (const [at, answer] of turns.entries()) {
      provider.answer = answer;
      client.send({ type: 'response.create' });
      await client.until('response.done', at + 1);
    }
    client.socket.close();
    await nothingReserved();
    await eventually(
      () => site.chargedRows(1),
      ([row]) => Number(row?.other['turns']) >= turns.length,
    );
    return before.quota - (await site.balances()).quota;
  }

  const plain = turn({ textIn: 120, textOut: 30, audioIn: 50, audioOut: 40 });

  it('is not charged for tokens that no turn can have', async () => {
    const most = 100_000_000;
    // The charge is twice the published limits of the model: 256,000 tokens at $0.6 and 8,192 at $2.4.
    await site.setOption('PriceCards', '{"gpt-4o-mini-realtime-preview":{"prices":{"input":0.6,"output":2.4}}}');
    const taken = await speak(
      'gpt-4o-mini-realtime-preview',
      turn({ textIn: most, textOut: most, audioIn: 0, audioOut: 0 }),
    );
    await site.setOption('PriceCards', '{}');
    expect(taken).toBe(76_800 + 9830);
    const metrics = await (await fetch(`${site.server.url}/metrics`)).text();
    expect(metrics).toMatch(/tollgate_uncharged_usage_total\{[^}]*kind="impossible"[^}]*\} 1/);
  });
  /**
   * Responds with a usage of 500 text tokens and 2,000 audio tokens, 400 and 1,500 of them cached, and 200 audio output
   * tokens.
   */
  const cached: RealtimeUpstream['answer'] = ({ socket }) =>
    send(socket, {
      type: 'response.done',
      response: {
        id: 'r',
        usage: {
          total_tokens: 2700,
          input_tokens: 2500,
          output_tokens: 200,
          input_token_details: {
            cached_tokens: 1900,
            text_tokens: 500,
            audio_tokens: 2000,
            cached_tokens_details: { text_tokens: 400, audio_tokens: 1500 },
          },
          output_token_details: { text_tokens: 0, audio_tokens: 200 },
        },
      },
    });

  it('costs the list price times the factor, summed over its turns', async () => {
    // A turn: 120 x $4 + 30 x $16 + 50 x $32 + 40 x $64 = 5,120 millionths; two of them $0.01024.
    expect(await speak('gpt-realtime', plain, plain)).toBe(5120);
    expect(await lastRow('gpt-realtime')).toMatchObject({
      usd: 0.01024,
      upstreamUsd: 0.00512,
      cost: {
        usd: 0.00512,
        marginUsd: 0.00512,
        basis: 'LIST',
        card: 'gpt-realtime',
        factor: 0.5,
        lines: [
          { quantity: 'input', count: 240, price: 4 },
          { quantity: 'output', count: 60, price: 16 },
          { quantity: 'audioInput', count: 100, price: 32 },
          { quantity: 'audioOutput', count: 80, price: 64 },
        ],
      },
    });
  });

  it('has its cached audio at the price of the cache, in sale and cost', async () => {
    // 100 x $4 + 400 x $0.4 + 500 x $32 + 1,500 x $0.4 + 200 x $64 = $0.02996.
    expect(await speak('gpt-realtime', cached)).toBe(14_980);
    expect(await lastRow('gpt-realtime')).toMatchObject({
      usd: 0.02996,
      upstreamUsd: 0.01498,
      cost: {
        lines: [
          { quantity: 'input', count: 100, price: 4 },
          { quantity: 'cachedInput', count: 400, price: 0.4 },
          { quantity: 'audioInput', count: 500, price: 32 },
          { quantity: 'cachedAudioInput', count: 1500, price: 0.4 },
          { quantity: 'audioOutput', count: 200, price: 64 },
        ],
      },
    });
    // Each response of the session counts as a call.
    expect(await sums('gpt-realtime')).toEqual({
      calls: 3,
      usd: expect.closeTo(0.0402, 9) as number,
      cost: {
        knownCalls: 3,
        upstreamUsd: expect.closeTo(0.0201, 9) as number,
        marginUsd: expect.closeTo(0.0201, 9) as number,
      },
    });
  });

  it('sold by the old tables costs what the card of the channel says', async () => {
    // Sale: (120 + 30 x 4 + 50 x 20 + 40 x 20 x 2) x 2.5. Cost: 120 x $5 + 30 x $20 + 50 x $40 + 40 x $80.
    expect(await speak('gpt-4o-realtime-preview', plain)).toBe(7100);
    expect(await lastRow('gpt-4o-realtime-preview')).toMatchObject({
      usd: 0.0142,
      upstreamUsd: 0.0064,
      cost: { marginUsd: 0.0078, basis: 'CARD', card: 'gpt-4o-realtime-preview', factor: 1 },
    });
  });

  it('of a card without input costs its output only', async () => {
    // Sale at the list price: 120 x $0.6 + 30 x $2.4 + 50 x $10 + 40 x $20. Cost: 70 x $1.
    expect(await speak('gpt-realtime-mini', plain)).toBe(722);
    expect(await lastRow('gpt-realtime-mini')).toMatchObject({ usd: 0.001444, upstreamUsd: 0.00007 });
  });

  it('of a model that no list knows has an unknown cost', async () => {
    expect(await speak('gpt-4o-mini-realtime-preview', plain)).toBeGreaterThan(0);
    expect(await lastRow('gpt-4o-mini-realtime-preview')).toMatchObject({ upstreamUsd: null, cost: null });
  });

  it('that cannot begin is ended at its provider', async () => {
    await site.setOption('ModelRequestRateLimitEnabled', 'true');
    const counted = jest
      .spyOn(ModelRateLimit.prototype, 'succeeded')
      .mockRejectedValue(new UnavailableError('the shared state is unavailable'));
    try {
      const headers = { authorization: `Bearer ${site.key}` };
      expect(await clients.refusal('model=gpt-realtime', headers)).toMatchObject({ status: 503 });
    } finally {
      counted.mockRestore();
      await site.setOption('ModelRequestRateLimitEnabled', 'false');
    }
    const open = await eventually(
      () => Promise.resolve(provider.sessions.filter(({ socket }) => socket.readyState === socket.OPEN).length),
      (count) => count === 0,
      5,
    );
    expect(open).toBe(0);
  });

  describe('with speech that another model writes down', () => {
    /** Creates a provider that names its model, transcribes, and responds only when asked to. */
    const spoken =
      (transcriber: string, usages: object[], isGA: boolean, answer?: RealtimeUpstream['answer']) =>
      (session: Parameters<RealtimeUpstream['answer']>[0]): void => {
        const transcription = { model: transcriber };
        const format = isGA ? { audio: { input: { transcription } } } : { input_audio_transcription: transcription };
        send(session.socket, { type: 'session.updated', session: { id: 's', ...format } });
        for (const usage of usages) {
          const type = 'conversation.item.input_audio_transcription.completed';
          send(session.socket, { type, item_id: 'i', content_index: 0, transcript: 'Hello', usage });
        }
        answer?.(session);
      };
    const ofTokens = (audio: number): object => ({
      type: 'tokens',
      input_tokens: audio,
      output_tokens: 9,
      total_tokens: audio + 9,
      input_token_details: { text_tokens: 0, audio_tokens: audio },
    });
    const lastCharged = async (): Promise<object> => {
      const [row] = await site.chargedRows(1);
      if (!row) throw new Error('no row');
      expect(explainCharge(row)).toMatchObject({ quota: row.quota });
      return row.other;
    };

    // $0.006 for a minute: 600 tokens of audio.
    it.each<[what: string, model: string, transcriber: string, usages: object[], own: number, speech: number]>([
      ['by its seconds', 'gpt-realtime', 'gpt-4o-transcribe', [ofTokens(600)], 2560, 3000],
      ['in a session by ratio', 'gpt-4o-realtime-preview', 'gpt-4o-transcribe', [ofTokens(600)], 7100, 3000],
      // Ratio 15: 1,000 tokens a minute.
      ['by ratio', 'gpt-realtime', 'whisper-1', [{ type: 'duration', seconds: 30 }], 2560, 7500],
      ['not where it has no price', 'gpt-realtime', 'of-tomorrow', [ofTokens(600)], 2560, 0],
    ])('pays for it %s', async (_what, model, transcriber, usages, own, speech) => {
      for (const isGA of [true, false]) {
        expect(await speak(model, spoken(transcriber, usages, isGA, plain))).toBe(own + speech);
        const other = await lastCharged();
        if (speech === 0) expect(other).not.toHaveProperty('transcribed');
        else
          expect(other).toMatchObject({ transcribed: [{ model: transcriber, count: 1, lines: expect.any(Number) }] });
      }
    });

    it('costs the list price of both', async () => {
      await speak('gpt-realtime', spoken('gpt-4o-transcribe', [ofTokens(600)], true, plain));
      // Half of $0.00512 and of $0.006.
      expect(await lastRow('gpt-realtime')).toMatchObject({
        usd: 0.01112,
        upstreamUsd: 0.00556,
        cost: { factor: 0.5 },
      });
    });

    it('pays for it without a response, and as soon as it is more than was reserved', async () => {
      const before = await site.balances();
      const client = await clients.session(site.key, 'gpt-realtime');
      let end = (): void => undefined;
      const answer = spoken('gpt-4o-transcribe', Array(4).fill(ofTokens(600)) as object[], true);
      provider.answer = (session) => {
        end = () => session.socket.close();
        answer?.(session);
      };
      client.send({ type: 'response.create' });
      await client.until('conversation.item.input_audio_transcription.completed', 4);
      await eventually(
        async () => before.quota - (await site.balances()).quota,
        (taken) => taken >= 12_000,
      );
      end();
      await nothingReserved();
      expect(before.quota - (await site.balances()).quota).toBe(12_000);
      await lastCharged();
    });
  });
});
