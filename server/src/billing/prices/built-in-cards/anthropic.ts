import type { Variant } from '../../../shared/price-card.js';
import { halfBatch, type BuiltInCards } from './built-in-card.js';

/** Models since Opus 4.6 cost 1.1 times as much where a request keeps them in the US. */
const standard: readonly Variant[] = [...halfBatch, { when: { region: 'us' }, factor: 1.1 }];
const withFast: readonly Variant[] = [...standard, { when: { tier: 'fast' }, factor: 2 }];

/** A container costs 0.05 USD an hour, and five minutes at least. */
const codeExecution = 0.00416667;

export const anthropicCards: BuiltInCards = {
  source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  completion: [
    [/claude-(?:3|sonnet-4|opus-4)/, 5, 'locked'],
    [/claude-(?:instant-1|2)/, 3, 'locked'],
    [/claude-/, 5],
  ],
  // Containers cost 0.05 USD an hour, for at least five minutes.
  tools: [[/^claude-/, { webSearch: 0.01, codeExecution: 0.00416667 }]],
  cards: [
    {
      names: 'claude-fable-5 claude-mythos-5',
      prices: {
        input: 10,
        cachedInput: 1,
        cacheWrite: 12.5,
        cacheWrite1h: 20,
        output: 50,
        webSearch: 0.01,
        codeExecution,
      },
      variants: standard,
    },
    {
      names: 'claude-fable-5-1 claude-mythos-5-1',
      prices: {
        input: 10,
        cachedInput: 0.25,
        cacheWrite: 12.5,
        cacheWrite1h: 20,
        output: 50,
        webSearch: 0.01,
        codeExecution,
      },
      variants: standard,
    },
    {
      names: 'claude-haiku-4-5 claude-haiku-4-5-20251001',
      prices: {
        input: 1,
        cachedInput: 0.1,
        cacheWrite: 1.25,
        cacheWrite1h: 2,
        output: 5,
        webSearch: 0.01,
        codeExecution,
      },
      variants: halfBatch,
    },
    {
      names: 'claude-haiku-5-5',
      prices: {
        input: 0.1,
        cachedInput: 0.01,
        cacheWrite: 0.125,
        cacheWrite1h: 0.2,
        output: 0.5,
        webSearch: 0.01,
        codeExecution,
      },
      contextTiers: [
        { above: 100_000, prices: { input: 0.5, cachedInput: 0.05, cacheWrite: 0.625, cacheWrite1h: 1, output: 2.5 } },
      ],
      variants: standard,
    },
    {
      names: 'claude-opus-4-5 claude-opus-4-5-20251101',
      prices: {
        input: 5,
        cachedInput: 0.5,
        cacheWrite: 6.25,
        cacheWrite1h: 10,
        output: 25,
        webSearch: 0.01,
        codeExecution,
      },
      variants: halfBatch,
    },
    {
      names: 'claude-opus-4-6 claude-opus-4-6-20260205 claude-opus-4-7 claude-opus-4-7-20260416',
      prices: {
        input: 5,
        cachedInput: 0.5,
        cacheWrite: 6.25,
        cacheWrite1h: 10,
        output: 25,
        webSearch: 0.01,
        codeExecution,
      },
      variants: standard,
    },
    {
      names: 'claude-opus-4-8 claude-opus-5',
      prices: {
        input: 5,
        cachedInput: 0.5,
        cacheWrite: 6.25,
        cacheWrite1h: 10,
        output: 25,
        webSearch: 0.01,
        codeExecution,
      },
      variants: withFast,
    },
    {
      names: 'claude-opus-5-5',
      prices: {
        input: 4,
        cachedInput: 0.2,
        cacheWrite: 5,
        cacheWrite1h: 8,
        output: 20,
        webSearch: 0.01,
        codeExecution,
      },
      variants: withFast,
    },
    {
      names: 'claude-sonnet-4-5 claude-sonnet-4-5-20250929',
      prices: {
        input: 3,
        cachedInput: 0.3,
        cacheWrite: 3.75,
        cacheWrite1h: 6,
        output: 15,
        webSearch: 0.01,
        codeExecution,
      },
      variants: halfBatch,
    },
    {
      names: 'claude-sonnet-4-6',
      prices: {
        input: 3,
        cachedInput: 0.3,
        cacheWrite: 3.75,
        cacheWrite1h: 6,
        output: 15,
        webSearch: 0.01,
        codeExecution,
      },
      variants: standard,
    },
    {
      names: 'claude-sonnet-5',
      prices: {
        input: 2,
        cachedInput: 0.2,
        cacheWrite: 2.5,
        cacheWrite1h: 4,
        output: 10,
        webSearch: 0.01,
        codeExecution,
      },
      variants: standard,
    },
    {
      names: 'claude-sonnet-5-5',
      prices: {
        input: 2,
        cachedInput: 0.1,
        cacheWrite: 2.5,
        cacheWrite1h: 4,
        output: 10,
        webSearch: 0.01,
        codeExecution,
      },
      variants: standard,
    },
  ],
};
