import { explainCharge } from '../../modules/pricing/explain-charge.service.js';
import type { Price } from '../../modules/pricing/price-book.service.js';
import { inputOf, noAudio, outputOf, SessionPrice, sumOf, type ChargedAudio } from './session-price.js';

const values = { PreConsumedQuota: 500, QuotaPerUnit: 400_000 };
const byRatio: Price = {
  kind: 'ratio',
  modelRatio: 0.3,
  completionRatio: 4,
  cacheRatio: 1,
  cacheWriteRatio: 1.25,
  audioRatio: 50 / 3,
  audioCompletionRatio: 2,
  groupRatio: 0.7,
};
const perCall: Price = { kind: 'call', modelPrice: 0.00001, groupRatio: 0.7 };

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
    const quota = price.charge(turn);
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
  const charges = Array.from({ length: 100 }, () => price.charge({ ...noAudio, textInputTokens: 1 }));
  expect(charges.reduce((sum, quota) => sum + quota, 0)).toBe(21);
});

it('a turn that makes a long prompt cheaper costs nothing, and none is ever charged less', () => {
  const card = { prices: { input: 20, output: 0 }, contextTiers: [{ above: 1000, prices: { input: 10 } }] };
  const price = new SessionPrice({ kind: 'card', name: 'm', card, isBuiltIn: false, groupRatio: 1 }, values);
  const charges = Array.from({ length: 4 }, () => price.charge({ ...noAudio, textInputTokens: 700 }));
  // 0.014 USD for 700 tokens, and as much for 1400; 0.021 and 0.028 for the rest.
  expect(charges).toEqual([5600, 0, 2800, 2800]);
  const steep = { ...card, contextTiers: [{ above: 1000, prices: { input: 1 } }] };
  const other = new SessionPrice({ kind: 'card', name: 'm', card: steep, isBuiltIn: false, groupRatio: 1 }, values);
  expect([700, 700, 700].map((textInputTokens) => other.charge({ ...noAudio, textInputTokens }))).toEqual([5600, 0, 0]);
});
