import { explainCharge } from '../../billing/prices/explain-charge.js';
import { rechargeOf } from '../../billing/prices/dry-run/recharge.js';
import type { PriceCard, Prices } from '../../shared/price-card.js';
import { priceOfCall, priceOfCard, priceOfRatios, type Price } from '../../billing/prices/compiled-price.js';
import { inputOf, noAudio, outputOf, SessionPrice, sumOf, type ChargedAudio } from './session-price.js';
import { responseOfTranscript } from './transcripts.js';

const values = { PreConsumedQuota: 500, QuotaPerUnit: 400_000 };
const terms = { groupRatio: 0.7 };
const ratioOf = (modelRatio: number): Price =>
  priceOfRatios(
    'm',
    {
      modelRatio,
      completionRatio: 4,
      cacheRatio: 1,
      cacheWriteRatio: 1.25,
      audioRatio: 50 / 3,
      audioCompletionRatio: 2,
    },
    terms,
    values.QuotaPerUnit,
  );
const byRatio = ratioOf(0.3);
const perCall = priceOfCall('m', 0.00001, terms);

const byCard = (prices: Prices): Price => priceOfCard({ name: 'm', card: { prices } }, 'card', terms);

const turns: readonly ChargedAudio[] = Array.from({ length: 40 }, (_, at) => ({
  textInputTokens: at % 3,
  textOutputTokens: at % 2,
  audioInputTokens: at % 5 === 0 ? 1 : 0,
  audioOutputTokens: at === 7 ? 33 : 0,
}));

it.each([
  ['by ratio', byRatio],
  ['by call', perCall],
])('the row of a session says how its charge came about, however its turns were rounded: %s', (_name, model) => {
  const price = new SessionPrice(model, values);
  let charged = 0;
  let total = noAudio;
  for (const turn of turns) {
    const { quota } = price.charge(turn);
    expect(quota).toBeGreaterThanOrEqual(0);
    charged += quota;
    total = sumOf(total, turn);
    const { quota: explained, formula } = explainCharge({
      quota: charged,
      promptTokens: inputOf(total),
      completionTokens: outputOf(total),
      other: {
        ws: true,
        ...price.factors(),
        text_input: total.textInputTokens,
        text_output: total.textOutputTokens,
        audio_input: total.audioInputTokens,
        audio_output: total.audioOutputTokens,
      },
    });
    expect([formula, explained]).toEqual(['audio', charged]);
  }
  expect(charged).toBeGreaterThan(0);
});

it('turns that each round to nothing are not free together', () => {
  const price = new SessionPrice(byRatio, values);
  const charges = Array.from({ length: 100 }, () => price.charge({ ...noAudio, textInputTokens: 1 }).quota);
  expect(charges.reduce((sum, quota) => sum + quota, 0)).toBe(21);
});

it('a turn that makes a long prompt cheaper costs nothing, and none is ever charged less', () => {
  const card = { prices: { input: 20, output: 0 }, contextTiers: [{ above: 1000, prices: { input: 10 } }] };
  const price = new SessionPrice(priceOfCard({ name: 'm', card }, 'card', { groupRatio: 1 }), values);
  const charges = Array.from({ length: 4 }, () => price.charge({ ...noAudio, textInputTokens: 700 }).quota);
  // The charge is 0.014 USD for 700 tokens and also for 1400 tokens, then 0.021 and 0.028 USD.
  expect(charges).toEqual([5600, 0, 2800, 2800]);
  const steep = { ...card, contextTiers: [{ above: 1000, prices: { input: 1 } }] };
  const other = new SessionPrice(priceOfCard({ name: 'm', card: steep }, 'card', { groupRatio: 1 }), values);
  expect([700, 700, 700].map((textInputTokens) => other.charge({ ...noAudio, textInputTokens }).quota)).toEqual([
    5600, 0, 0,
  ]);
});

it.each<[string, Price, Price]>([
  ['a card', byCard({ input: 4, output: 16, audioInput: 32, audioOutput: 64 }), byCard({ second: 0.0001 })],
  ['a ratio', byRatio, byCard({ input: 2.5, audioInput: 6, output: 10 })],
  ['both by ratio', byRatio, ratioOf(15)],
  ['transcripts by the call', byRatio, perCall],
  ['the time of the session', byCard({ second: 0.001, output: 16 }), byCard({ second: 0.0001 })],
])('speech that another model writes down is in the row, which a dry run charges alike: %s', (_name, sale, speech) => {
  const price = new SessionPrice(sale, values, (model) => (model === 'transcriber' ? speech : null));
  price.addTranscript('transcriber', { count: 1, seconds: 12.3, inputTokens: 123, audioTokens: 120, outputTokens: 20 });
  price.addTranscript('unpriced', {
    count: 1,
    seconds: 3600,
    inputTokens: 36_000,
    audioTokens: 36_000,
    outputTokens: 0,
  });
  expect(price.pending).toBeGreaterThan(0);
  let charged = price.charge(noAudio).quota;
  expect(price.pending).toBe(0);
  price.addTranscript('transcriber', { count: 1, seconds: 0.1, inputTokens: 1, audioTokens: 1, outputTokens: 2 });
  const tokens = { textInputTokens: 50, textOutputTokens: 20, audioInputTokens: 300, audioOutputTokens: 200 };
  const turn = { ...tokens, seconds: 61.234 };
  charged += price.charge(turn).quota;
  const other: Record<string, unknown> = { ws: true, ...price.factors() };
  const row = { quota: charged, promptTokens: 350, completionTokens: 220, other };
  expect(explainCharge(row)).toMatchObject({ formula: 'price card', quota: charged });
  const others = {
    ofDrawing: () => null,
    ofAdvice: () => null,
    ofTranscripts: (_price: Price, model: string) => (model === 'transcriber' ? speech : null),
    withToolsOf: (price: Price) => price,
  };
  expect(rechargeOf({ ...row, model: 'm' }, sale, values.QuotaPerUnit, () => null, others)?.quota).toBe(charged);
});

it.each<[string, Price, boolean]>([
  ['a card by the second', byCard({ second: 0.0001 }), true],
  ['a card by tokens and calls', byCard({ input: 2.5, audioInput: 6, output: 10, request: 0.001 }), true],
  ['a ratio', byRatio, true],
  ['the call', perCall, false],
  ['nothing', ratioOf(0), false],
])(
  'a session that only writes speech down is charged as its row says, and as a dry run does: by %s',
  (_name, sale, isApart) => {
    const price = new SessionPrice(sale, values, () => (isApart ? sale : null));
    let [charged, total] = [0, noAudio];
    for (const seconds of [12.3, 0.1, 60]) {
      const spoken = { count: 1, seconds, inputTokens: 130, audioTokens: 123, outputTokens: 20 };
      price.addTranscript('m', spoken);
      const turn = responseOfTranscript(spoken);
      charged += price.charge(turn, true).quota;
      total = sumOf(total, turn);
    }
    expect([inputOf(total), outputOf(total)]).toEqual([390, 60]);
    const texts = { text_input: total.textInputTokens, text_output: total.textOutputTokens };
    const audio = { audio_input: total.audioInputTokens, audio_output: total.audioOutputTokens };
    const other: Record<string, unknown> = { ws: true, ...price.factors(), ...texts, ...audio };
    const row = { quota: charged, promptTokens: inputOf(total), completionTokens: outputOf(total), other };
    expect(explainCharge(row).quota).toBe(charged);
    const same = (given: Price): Price => given;
    const others = { ofDrawing: () => null, ofAdvice: () => null, ofTranscripts: () => sale, withToolsOf: same };
    const ownCard = (): PriceCard | null => (sale.source === 'card' ? sale.card : null);
    expect(rechargeOf({ ...row, model: 'm' }, sale, values.QuotaPerUnit, ownCard, others)?.quota).toBe(charged);
    expect(charged > 0).toBe(sale.shown.modelPrice > 0 || sale.source === 'card' || sale.shown.modelRatio > 0);
  },
);

it('speech whose length alone is reported has ten tokens a second', () => {
  const spoken = { count: 1, seconds: 2.51, inputTokens: 0, audioTokens: 0, outputTokens: 0 };
  expect(responseOfTranscript(spoken)).toEqual({ ...noAudio, audioInputTokens: 26 });
});

it.each([
  ['by ratio', byRatio],
  ['by call', perCall],
  ['by card', byCard({ input: 1, output: 2, audioInput: 10, audioOutput: 20 })],
])('a copy continues from the charges so far, and changes nothing: %s', (_name, model) => {
  const [price, twin] = [new SessionPrice(model, values), new SessionPrice(model, values)];
  for (const turn of turns) {
    const copy = price.copy();
    const [first, second] = [copy.charge(turn), copy.charge(turn)];
    const again = price.copy();
    expect([again.charge(turn), again.charge(turn)]).toEqual([first, second]);
    expect(price.charge(turn)).toEqual(first);
    twin.charge(turn);
    expect(price.factors()).toEqual(twin.factors());
  }
});
