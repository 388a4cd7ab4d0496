import { recordedAnswer } from '../../../../../tests/support/upstream/recordings.js';
import { toUsage } from './usage.js';

const tokens = { prompt_tokens: 10, completion_tokens: 5 };

describe('what a provider says that a call cost it', () => {
  it.each([
    ['OpenRouter', { cost: 0.0123 }, 0.0123],
    ['OpenRouter, nothing', { cost: 0 }, 0],
    [
      'OpenRouter with a key of one’s own',
      { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.19 } },
      0.2,
    ],
    [
      'OpenRouter, what stands behind its price',
      { cost: 0.01, cost_details: { upstream_inference_cost: 0.009 } },
      0.01,
    ],
    ['Perplexity', { cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 } }, 0.006],
    ['xAI', { cost_in_usd_ticks: 1_777_000 }, 0.0001777],
  ])('%s', (_who, said, usd) => {
    expect(toUsage({ ...tokens, ...said })?.chargedUsd).toBeCloseTo(usd, 12);
  });

  it.each([
    ['nothing', {}],
    ['less than nothing', { cost: -1 }],
    ['no number', { cost: 'free' }],
    ['NaN', { cost: Number.NaN }],
    ['more than there is', { cost: 1e300 }],
    ['an object without a total', { cost: { input_tokens_cost: 1 } }],
    ['what is no number behind it', { cost: 1, is_byok: true, cost_details: { upstream_inference_cost: 'x' } }],
  ])('is not known from %s', (_what, said) => {
    expect(toUsage({ ...tokens, ...said })).not.toHaveProperty('chargedUsd');
  });

  it('stands in a recorded answer of xAI', () => {
    const answer = JSON.parse(recordedAnswer('xai/xai-tool-call').toString()) as { usage: unknown };
    expect(toUsage(answer.usage)?.chargedUsd).toBeGreaterThan(0);
  });
});
