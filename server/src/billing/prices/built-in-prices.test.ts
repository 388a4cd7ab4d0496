import { modelKind } from '../../shared/model-kind.js';
import { ratesOf, type Prices } from '../../shared/price-card.js';
import { conditions, resolutions, type Condition, type Resolution } from '../../shared/price-condition.js';
import { parsePriceCard } from '../../shared/price-card-input.js';
import { usdOf } from './card-charge.js';
import { componentsOf, type Count } from './card-lines.js';
import { builtInCard, builtInCards, currentModels } from './built-in-prices.js';

/** Prices by the values of a condition, such as `flex`. */
type Variants = Readonly<Record<string, Prices>>;

function conditionOf(name: string): Condition {
  const found = conditions.find((when) => Object.values(when).join(' ') === name);
  if (!found) throw new Error(`no condition ${name}`);
  return found;
}

/** Models that are proposed for channels of OpenAI, Alibaba, Gemini, VolcEngine and xAI. */
const allCurrent = [1, 17, 24, 45, 48].flatMap(currentModels);

/** A figure of a public price table, in USD per million tokens; some are rounded to two digits there. */
const isFigure = (rate: number, figure: number): boolean => Math.abs(rate - figure) <= 0.0051;

describe('built-in price cards', () => {
  // Figures of November 2026: the standard tier, the first long context with its threshold, other conditions.
  // prettier-ignore
  it.each<[model: string, Prices, long: [above: number, Prices] | null, Variants]>([
    ['gpt-5', { input: 1.25, cachedInput: 0.125, output: 10 }, null, { flex: { input: 0.625, cachedInput: 0.0625, output: 5 }, priority: { input: 2.5, cachedInput: 0.25, output: 20 }, batch: { input: 0.625, cachedInput: 0.0625, output: 5 } }],
    ['gpt-5-mini', { input: 0.25, cachedInput: 0.025, output: 2 }, null, { flex: { input: 0.125, cachedInput: 0.0125, output: 1 }, priority: { input: 0.45, cachedInput: 0.045, output: 3.6 }, batch: { input: 0.125, cachedInput: 0.0125, output: 1 } }],
    ['gpt-5-nano', { input: 0.05, cachedInput: 0.005, output: 0.4 }, null, { flex: { input: 0.025, cachedInput: 0.0025, output: 0.2 }, batch: { input: 0.025, cachedInput: 0.0025, output: 0.2 } }],
    ['gpt-5-pro', { input: 15, output: 120 }, null, { batch: { input: 7.5, output: 60 } }],
    ['gpt-5.1', { input: 1.25, cachedInput: 0.125, output: 10 }, null, { flex: { input: 0.625, cachedInput: 0.0625, output: 5 }, priority: { input: 2.5, cachedInput: 0.25, output: 20 }, batch: { input: 0.625, cachedInput: 0.0625, output: 5 } }],
    ['gpt-5.2', { input: 1.75, cachedInput: 0.175, output: 14 }, null, { flex: { input: 0.875, cachedInput: 0.0875, output: 7 }, priority: { input: 3.5, cachedInput: 0.35, output: 28 }, batch: { input: 0.875, cachedInput: 0.0875, output: 7 } }],
    ['gpt-5.2-pro', { input: 21, output: 168 }, null, { batch: { input: 10.5, output: 84 } }],
    ['gpt-5.3-codex', { input: 1.75, cachedInput: 0.175, output: 14 }, null, { priority: { input: 3.5, cachedInput: 0.35, output: 28 } }],
    ['gpt-5.4', { input: 2.5, cachedInput: 0.25, output: 15 }, [272_000, { input: 5, cachedInput: 0.5, output: 22.5 }], { flex: { input: 1.25, cachedInput: 0.13, output: 7.5 }, priority: { input: 5, cachedInput: 0.5, output: 30 }, batch: { input: 1.25, cachedInput: 0.13, output: 7.5 } }],
    ['gpt-5.4-mini', { input: 0.75, cachedInput: 0.075, output: 4.5 }, null, { flex: { input: 0.375, cachedInput: 0.0375, output: 2.25 }, priority: { input: 1.5, cachedInput: 0.15, output: 9 }, batch: { input: 0.375, cachedInput: 0.0375, output: 2.25 } }],
    ['gpt-5.4-nano', { input: 0.2, cachedInput: 0.02, output: 1.25 }, null, { flex: { input: 0.1, cachedInput: 0.01, output: 0.625 }, batch: { input: 0.1, cachedInput: 0.01, output: 0.625 } }],
    ['gpt-5.5', { input: 5, cachedInput: 0.5, output: 30 }, [272_000, { input: 10, cachedInput: 1, output: 45 }], { flex: { input: 2.5, cachedInput: 0.25, output: 15 }, priority: { input: 12.5, cachedInput: 1.25, output: 75 }, batch: { input: 2.5, cachedInput: 0.25, output: 15 } }],
    ['gpt-5.5-pro', { input: 30, output: 180 }, [272_000, { input: 60, output: 270 }], { flex: { input: 15, output: 90 }, batch: { input: 15, output: 90 } }],
    ['gpt-5.6', { input: 4, cachedInput: 0.4, cacheWrite: 5, cacheWrite1h: 10, output: 20 }, [272_000, { input: 8, cachedInput: 0.8, cacheWrite: 10, cacheWrite1h: 20, output: 30 }], { flex: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 }, priority: { input: 8, cachedInput: 0.8, cacheWrite: 10, output: 40 }, batch: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 } }],
    ['gpt-6-astra', { input: 10, cachedInput: 1, cacheWrite: 12.5, cacheWrite1h: 25, output: 50 }, [272_000, { input: 20, cachedInput: 2, cacheWrite: 25, cacheWrite1h: 50, output: 75 }], { flex: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 }, priority: { input: 20, cachedInput: 2, cacheWrite: 25, output: 100 }, batch: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } }],
    ['gpt-6-luna', { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, cacheWrite1h: 0.25, output: 0.5 }, [272_000, { input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, cacheWrite1h: 0.5, output: 0.75 }], { flex: { input: 0.05, cachedInput: 0.005, cacheWrite: 0.0625, output: 0.25 }, priority: { input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, output: 1 }, batch: { input: 0.05, cachedInput: 0.005, cacheWrite: 0.0625, output: 0.25 } }],
    ['gpt-6-sol', { input: 2, cachedInput: 0.2, cacheWrite: 2.5, cacheWrite1h: 5, output: 10 }, [272_000, { input: 4, cachedInput: 0.4, cacheWrite: 5, cacheWrite1h: 10, output: 15 }], { flex: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 }, priority: { input: 4, cachedInput: 0.4, cacheWrite: 5, output: 20 }, batch: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 } }],
    ['gpt-6.1-sol', { input: 2, cachedInput: 0.1, cacheWrite: 2.5, cacheWrite1h: 5, output: 10 }, [272_000, { input: 4, cachedInput: 0.2, cacheWrite: 5, cacheWrite1h: 10, output: 15 }], { flex: { input: 1, cachedInput: 0.05, cacheWrite: 1.25, output: 5 }, priority: { input: 4, cachedInput: 0.2, cacheWrite: 5, output: 20 }, batch: { input: 1, cachedInput: 0.05, cacheWrite: 1.25, output: 5 } }],
    ['gpt-6.1-terra', { input: 1, cachedInput: 0.05, cacheWrite: 1.25, cacheWrite1h: 2.5, output: 5 }, [272_000, { input: 2, cachedInput: 0.1, cacheWrite: 2.5, cacheWrite1h: 5, output: 7.5 }], { flex: { input: 0.5, cachedInput: 0.025, cacheWrite: 0.625, output: 2.5 }, priority: { input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 10 }, batch: { input: 0.5, cachedInput: 0.025, cacheWrite: 0.625, output: 2.5 } }],
    ['gpt-4.1', { input: 2, cachedInput: 0.5, output: 8 }, null, { priority: { input: 3.5, cachedInput: 0.875, output: 14 }, batch: { input: 1, output: 4 } }],
    ['gpt-4.1-mini', { input: 0.4, cachedInput: 0.1, output: 1.6 }, null, { priority: { input: 0.7, cachedInput: 0.175, output: 2.8 }, batch: { input: 0.2, output: 0.8 } }],
    ['gpt-4.1-nano', { input: 0.1, cachedInput: 0.025, output: 0.4 }, null, { priority: { input: 0.2, cachedInput: 0.05, output: 0.8 }, batch: { input: 0.05, output: 0.2 } }],
    ['gpt-5.1-codex', { input: 1.25, cachedInput: 0.125, output: 10 }, null, { priority: { input: 2.5, cachedInput: 0.25, output: 20 } }],
    ['gpt-5.1-codex-mini', { input: 0.25, cachedInput: 0.025, output: 2 }, null, { priority: { input: 0.45, cachedInput: 0.045, output: 3.6 } }],
    ['gpt-5.6-luna-2026-07-09', { input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, cacheWrite1h: 0.5, output: 1.2 }, [272_000, { input: 0.4, output: 1.8 }], { priority: { input: 0.4, cachedInput: 0.04, output: 2.4 } }],
    ['gpt-4o-audio-preview-2024-12-17', { input: 2.5, output: 10, audioInput: 40, audioOutput: 80 }, null, {}],
    ['gpt-4o-mini-audio-preview-2024-12-17', { input: 0.15, output: 0.6, audioInput: 10, audioOutput: 20 }, null, {}],
    ['ft:gpt-4o-2024-08-06:acme::1', { input: 3.75, cachedInput: 1.875, output: 15 }, null, {}],
    ['zai-glm-5-3', { input: 1.4, cachedInput: 0.14, output: 4.4 }, null, {}],
    ['gpt-4o', { input: 2.5, cachedInput: 1.25, output: 10 }, null, { priority: { input: 4.25, cachedInput: 2.125, output: 17 }, batch: { input: 1.25, output: 5 } }],
    ['gpt-4o-mini', { input: 0.15, cachedInput: 0.075, output: 0.6 }, null, { priority: { input: 0.25, cachedInput: 0.125, output: 1 }, batch: { input: 0.075, output: 0.3 } }],
    ['o3', { input: 2, cachedInput: 0.5, output: 8 }, null, { flex: { input: 1, cachedInput: 0.25, output: 4 }, priority: { input: 3.5, cachedInput: 0.875, output: 14 }, batch: { input: 1, output: 4 } }],
    ['o3-pro', { input: 20, output: 80 }, null, { batch: { input: 10, output: 40 } }],
    ['gpt-image-1.5', { input: 5, cachedInput: 1.25, output: 10, imageInput: 8, imageOutput: 32 }, null, { batch: { input: 2.5, cachedInput: 0.63, output: 5, imageInput: 4 } }],
    ['gpt-image-1-mini', { input: 2, cachedInput: 0.2, imageInput: 2.5, imageOutput: 8 }, null, { batch: { input: 1, cachedInput: 0.1, imageInput: 1.25 } }],
    ['gpt-realtime', { input: 4, cachedInput: 0.4, output: 16, audioInput: 32, audioOutput: 64, imageInput: 5 }, null, {  }],
    ['gpt-realtime-mini', { input: 0.6, cachedInput: 0.06, output: 2.4, audioInput: 10, audioOutput: 20, imageInput: 0.8 }, null, {  }],
    ['gpt-audio', { input: 2.5, output: 10, audioInput: 32, audioOutput: 64 }, null, {  }],
    ['text-embedding-3-large', { input: 0.13, output: 0 }, null, { batch: { input: 0.065, output: 0 } }],
    ['claude-haiku-4-5', { input: 1, cachedInput: 0.1, cacheWrite: 1.25, cacheWrite1h: 2, output: 5 }, null, { batch: { input: 0.5, cachedInput: 0.05, cacheWrite: 0.625, output: 2.5 } }],
    ['claude-haiku-5-5', { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, cacheWrite1h: 0.2, output: 0.5 }, [100_000, { input: 0.5, cachedInput: 0.05, cacheWrite: 0.625, cacheWrite1h: 1, output: 2.5 }], { batch: { input: 0.05, cachedInput: 0.005, cacheWrite: 0.0625, output: 0.25 } }],
    ['claude-opus-4-5', { input: 5, cachedInput: 0.5, cacheWrite: 6.25, cacheWrite1h: 10, output: 25 }, null, { batch: { input: 2.5, cachedInput: 0.25, cacheWrite: 3.125, output: 12.5 } }],
    ['claude-opus-4-8', { input: 5, cachedInput: 0.5, cacheWrite: 6.25, cacheWrite1h: 10, output: 25 }, null, { batch: { input: 2.5, cachedInput: 0.25, cacheWrite: 3.125, output: 12.5 }, us: { input: 5.5, cachedInput: 0.55, cacheWrite: 6.875, cacheWrite1h: 11, output: 27.5 }, fast: { input: 10, output: 50 }, 'fast us': { input: 11, output: 55 } }],
    ['claude-opus-5', { input: 5, cachedInput: 0.5, cacheWrite: 6.25, cacheWrite1h: 10, output: 25 }, null, { batch: { input: 2.5, cachedInput: 0.25, cacheWrite: 3.125, output: 12.5 } }],
    ['claude-opus-5-5', { input: 4, cachedInput: 0.2, cacheWrite: 5, cacheWrite1h: 8, output: 20 }, null, { batch: { input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 10 } }],
    ['claude-sonnet-4-5', { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, output: 15 }, null, { batch: { input: 1.5, cachedInput: 0.15, cacheWrite: 1.875, output: 7.5 } }],
    ['claude-sonnet-4-6', { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, output: 15 }, null, { batch: { input: 1.5, cachedInput: 0.15, cacheWrite: 1.875, output: 7.5 } }],
    ['claude-sonnet-5', { input: 2, cachedInput: 0.2, cacheWrite: 2.5, cacheWrite1h: 4, output: 10 }, null, { batch: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 } }],
    ['claude-sonnet-5-5', { input: 2, cachedInput: 0.1, cacheWrite: 2.5, cacheWrite1h: 4, output: 10 }, null, { batch: { input: 1, cachedInput: 0.05, cacheWrite: 1.25, output: 5 } }],
    ['claude-fable-5', { input: 10, cachedInput: 1, cacheWrite: 12.5, cacheWrite1h: 20, output: 50 }, null, { batch: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } }],
    ['gemini-2.5-pro', { input: 1.25, cachedInput: 0.125, output: 10 }, [200_000, { input: 2.5, cachedInput: 0.25, output: 15 }], { flex: { input: 0.625, cachedInput: 0.125, output: 5 }, priority: { input: 2.25, cachedInput: 0.225, output: 18 }, batch: { input: 0.625, cachedInput: 0.125, output: 5 } }],
    ['gemini-2.5-flash', { input: 0.3, cachedInput: 0.03, output: 2.5, reasoning: 2.5, audioInput: 1 }, null, { flex: { input: 0.15, cachedInput: 0.03, output: 1.25, audioInput: 0.5 }, priority: { input: 0.54, cachedInput: 0.054, output: 4.5, audioInput: 1.8 }, batch: { input: 0.15, cachedInput: 0.03, output: 1.25, audioInput: 0.5 } }],
    ['gemini-2.5-flash-lite', { input: 0.1, cachedInput: 0.01, output: 0.4, reasoning: 0.4, audioInput: 0.3 }, null, { flex: { input: 0.05, cachedInput: 0.01, output: 0.2, audioInput: 0.15 }, priority: { input: 0.18, cachedInput: 0.018, output: 0.72, audioInput: 0.54 }, batch: { input: 0.05, cachedInput: 0.01, output: 0.2, audioInput: 0.15 } }],
    ['gemini-2.5-flash-image', { input: 0.3, cachedInput: 0.03, output: 2.5, reasoning: 2.5, audioInput: 1, imageOutput: 30 }, null, { flex: { input: 0.15, output: 1.25 }, priority: { input: 0.54, output: 4.5 }, batch: { input: 0.15, output: 1.25 } }],
    ['gemini-3.1-pro-preview', { input: 2, cachedInput: 0.2, output: 12 }, [200_000, { input: 4, cachedInput: 0.4, output: 18 }], { flex: { input: 1, cachedInput: 0.2, output: 6 }, priority: { input: 3.6, cachedInput: 0.36, output: 21.6 }, batch: { input: 1, cachedInput: 0.2, output: 6 } }],
    ['gemini-3-flash-preview', { input: 0.5, cachedInput: 0.05, output: 3, reasoning: 3, audioInput: 1 }, null, { flex: { input: 0.25, cachedInput: 0.05, output: 1.5, audioInput: 0.5 }, priority: { input: 0.9, cachedInput: 0.09, output: 5.4, audioInput: 1.8 }, batch: { input: 0.25, cachedInput: 0.05, output: 1.5, audioInput: 0.5 } }],
    ['gemini-3.5-flash', { input: 1.5, cachedInput: 0.15, output: 9, reasoning: 9, audioInput: 1.5 }, null, { flex: { input: 0.75, cachedInput: 0.08, output: 4.5 }, priority: { input: 2.7, cachedInput: 0.27, output: 16.2, audioInput: 2.7 }, batch: { input: 0.75, cachedInput: 0.075, output: 4.5 } }],
    ['gemini-3.8-flash', { input: 0.75, cachedInput: 0.075, output: 3.75, reasoning: 3.75 }, null, { flex: { input: 0.375, cachedInput: 0.0375, output: 1.875 }, priority: { input: 1.35, cachedInput: 0.135, output: 6.75 }, batch: { input: 0.375, cachedInput: 0.0375, output: 1.875 } }],
    ['gemini-4-argon', { input: 2, cachedInput: 0.1, output: 10, reasoning: 10 }, null, { flex: { input: 1, cachedInput: 0.05, output: 5 }, priority: { input: 3.6, cachedInput: 0.18, output: 18 }, batch: { input: 1, cachedInput: 0.05, output: 5 } }],
    ['deepseek-v4-flash', { input: 0.3, cachedInput: 0.006, output: 1.2 }, null, {  }],
    ['deepseek-v4-pro', { input: 1.32, cachedInput: 0.044, output: 3.96 }, null, { off_peak: { input: 0.66, cachedInput: 0.022, output: 1.98 } }],
    ['grok-4.5', { input: 2, cachedInput: 0.3, output: 6, imageInput: 2 }, [200_000, { input: 4, cachedInput: 0.6, output: 12 }], {  }],
    ['grok-4.7', { input: 2, cachedInput: 0.5, output: 6, imageInput: 2 }, [200_000, { input: 4, cachedInput: 1, output: 12 }], { batch: { input: 1.6, cachedInput: 0.4, output: 4.8 } }],
    ['grok-4.20', { input: 1.25, cachedInput: 0.2, output: 2.5, imageInput: 1.25 }, [200_000, { input: 2.5, cachedInput: 0.4, output: 5 }], { batch: { input: 1, cachedInput: 0.16, output: 2 } }],
    ['mistral-large-latest', { input: 0.5, cachedInput: 0.05, output: 1.5 }, null, {  }],
    ['mistral-medium-latest', { input: 1.5, cachedInput: 0.15, output: 7.5 }, null, {  }],
    ['codestral-latest', { input: 0.3, cachedInput: 0.03, output: 0.9 }, null, {  }],
    ['command-a-03-2025', { input: 2.5, output: 10 }, null, {  }],
    ['command-r7b-12-2024', { input: 0.0375, output: 0.15 }, null, {  }],
    ['qwen3.7-max', { input: 2.5, cachedInput: 0.5, cacheWrite: 3.125, output: 7.5 }, null, {  }],
    ['qwen3.8-max', { input: 2, cachedInput: 0.25, output: 6 }, null, {  }],
    ['qwen-flash', { input: 0.05, output: 0.4 }, [256_000, { input: 0.25, output: 2 }], {  }],
    ['kimi-k3', { input: 3, cachedInput: 0.3, cacheWrite: 3, cacheWrite1h: 6, output: 15 }, null, {  }],
    ['kimi-k2.6', { input: 0.95, cachedInput: 0.16, output: 4 }, null, {  }],
    ['glm-5.3', { input: 1.4, cachedInput: 0.26, output: 4.4 }, null, {  }],
    ['glm-4.7', { input: 0.6, cachedInput: 0.11, output: 2.2 }, null, {  }],
    ['MiniMax-M3', { input: 0.3, cachedInput: 0.06, output: 1.2 }, [512_000, { input: 0.6, cachedInput: 0.12, output: 2.4 }], {  }],
    ['doubao-seed-2-1-pro-260915', { input: 0.8625, cachedInput: 0.1725, output: 4.3125 }, null, {  }],
    ['sonar-pro', { input: 3, output: 15 }, null, { medium: { request: 0.01 }, high: { request: 0.014 } }],
    ['sonar-deep-research', { input: 2, output: 8, reasoning: 3 }, null, {  }],
  ])('%s has the published figures', (model, prices, long, variants) => {
    const card = builtInCard(model)?.card;
    if (!card) throw new Error('no card');
    for (const [quantity, figure] of Object.entries(prices) as Count[]) {
      // To the cent of a million tokens, by the charge itself: ten calls of 1,000 tokens stay below every threshold.
      const call = usdOf(componentsOf(card, { counts: [[quantity, 1000]], when: null }));
      expect([quantity, call.times(1000).toNumber()]).toEqual([quantity, figure]);
    }
    for (const [name, of] of Object.entries(variants)) {
      const rates = ratesOf(card, -1, conditionOf(name));
      for (const [quantity, figure] of Object.entries(of) as Count[]) {
        expect([name, quantity, rates[quantity], isFigure(rates[quantity], figure)]).toEqual([name, quantity, rates[quantity], true]);
      }
    }
    expect(card.contextTiers?.[0]?.above ?? null).toBe(long ? long[0] : null);
    if (!long) return;
    const count: Count = ['input', long[0] + 1];
    const call = componentsOf(card, { counts: [count, ['output', 1]], when: null });
    expect(call.map(([quantity, , rate]) => [quantity, rate])).toEqual([
      ['input', long[1].input],
      ['output', long[1].output],
    ]);
  });

  it.each<[model: string, second: number, others: Partial<Record<Resolution, number>>]>([
    ['sora-2', 0.1, {}],
    ['sora-2-pro', 0.3, { '1080p': 0.5 }],
    ['veo-3.1-generate-001', 0.4, { '4k': 0.6 }],
    ['veo-3.1-generate-preview', 0.4, { '4k': 0.6 }],
    ['veo-3.1-fast-generate-001', 0.1, { '1080p': 0.12, '4k': 0.3 }],
    ['veo-3.1-fast-generate-preview', 0.1, { '1080p': 0.12, '4k': 0.3 }],
    ['veo-3.1-lite-generate-001', 0.05, { '1080p': 0.08 }],
    ['veo-3.1-lite-generate-preview', 0.05, { '1080p': 0.08 }],
    ['grok-imagine-video', 0.05, { '720p': 0.07 }],
    ['grok-imagine-video-1.5', 0.08, { '720p': 0.14, '1080p': 0.25 }],
    ['grok-imagine-video-1.5-preview', 0.08, { '720p': 0.14, '1080p': 0.25 }],
    ['grok-imagine-video-1.5-2026-05-30', 0.08, { '720p': 0.14, '1080p': 0.25 }],
    ['grok-imagine-video-1.5-lite', 0.02, { '720p': 0.03, '1080p': 0.14 }],
    ['doubao-seedance-2-0-260128', 0.141942857, { '480p': 0.066003429, '1080p': 0.354085714, '4k': 0.722057143 }],
    ['doubao-seedance-2-0-fast-260128', 0.114171429, { '480p': 0.053089714 }],
    ['doubao-seedance-2-0-mini-260615', 0.070971429, { '480p': 0.033001714 }],
    ['doubao-seedance-2-5-260628', 0.216, { '480p': 0.096075, '1080p': 0.5346 }],
    ['wan2.7-t2v', 0.143353, { '720p': 0.086012 }],
    ['wan3.0-video', 0.165025, { '480p': 0.041256, '720p': 0.082513 }],
    ['wan3.0-video-prime', 0.254399, { '480p': 0.0636, '720p': 0.127199 }],
    ['happyhorse-1.0-i2v', 0.220034, { '720p': 0.123769 }],
    ['happyhorse-1.1-t2v', 0.165026, { '480p': 0.0618845, '720p': 0.123769 }],
  ])('%s has the published price of a second in each resolution', (model, second, others) => {
    const card = builtInCard(model)?.card;
    if (!card) throw new Error('no card');
    const expected = resolutions.map((resolution) => [resolution, others[resolution] ?? second]);
    expect(resolutions.map((resolution) => [resolution, ratesOf(card, -1, { resolution }).second])).toEqual(expected);
    expect(ratesOf(card, -1, null).second).toBe(second);
    const isEnded = /^sora|^veo.*preview/.test(model);
    expect([modelKind(model), allCurrent.includes(model)]).toEqual(['video', !isEnded]);
  });

  it('are proposed while their makers offer them, and are prices after that', () => {
    for (const model of ['gpt-5-codex', 'gpt-4.1-nano', 'gemini-2.5-pro-preview-tts', 'sora-2-pro']) {
      expect([model, allCurrent.includes(model), builtInCard(model) !== null]).toEqual([model, false, true]);
    }
    expect(allCurrent).toEqual(expect.arrayContaining(['gpt-4.1-mini', 'gemini-2.5-pro', 'veo-3.1-generate-001']));
  });

  it('are about today\u2019s models, and each would be accepted from an operator', () => {
    expect(builtInCards.size).toBeGreaterThanOrEqual(250);
    for (const card of builtInCards.values()) {
      expect(parsePriceCard(JSON.parse(JSON.stringify(card)))).toEqual(card);
      expect(card.asOf).toBe('2026-11');
      expect(card.source).toMatch(/^https:/);
    }
  });

  it('price the searches of every model that can search: providers bill them alike for all', () => {
    const other = /audio|realtime|image|search|transcribe|tts|codex-mini|moderation|^ft:|instruct/;
    const searching = [...builtInCards].filter(
      ([name]) => /^(?:gpt-[4-9]|o3|chat-latest|claude-|grok-(?:4|build|code))/.test(name) && !other.test(name),
    );
    expect(searching.length).toBeGreaterThan(60);
    const free = searching.filter(([, card]) => !card.prices.webSearch).map(([name]) => name);
    expect(free).toEqual([]);
  });

  it('are found by name, by prefix, and by a name with a way to think', () => {
    expect(builtInCard('gpt-5')?.name).toBe('gpt-5');
    expect(builtInCard('ft:gpt-4.1-2025-04-14:acme::1')?.name).toBe('ft:gpt-4.1-2025-04-14*');
    expect(builtInCard('claude-sonnet-4-5-thinking')?.name).toBe('claude-sonnet-4-5');
    expect(builtInCard('gpt-5-ultra')).toBeNull();
    for (const name of ['constructor', '__proto__', '', '*']) expect(builtInCard(name)).toBeNull();
  });
});
