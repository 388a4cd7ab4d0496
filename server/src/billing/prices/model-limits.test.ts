import { publishedLimits } from './model-limits-data.js';
import { modelLimits } from './model-limits.js';

it.each([
  ['gpt-4o', 128_000, 16_384],
  ['gpt-4o-2024-05-13', 128_000, 4096],
  ['gpt-4o-2024-11-20', 128_000, 16_384],
  ['openai/gpt-4.1-mini', 1_047_576, 32_768],
  ['claude-3-7-sonnet-20250219-thinking', 200_000, 128_000],
  ['claude-sonnet-4-5-20250929', 200_000, 64_000],
  ['gemini-2.5-pro-preview-03-25', 1_048_576, 65_536],
  ['gemini-2.5-flash-thinking-1024', 1_048_576, 65_536],
  ['o3-mini-high', 200_000, 100_000],
  ['my-own-model', 0, 0],
  ['__proto__', 0, 0],
])('%s takes %i tokens and produces %i', (model, maxInput, maxOutput) => {
  expect(modelLimits(model)).toEqual({ maxInput, maxOutput });
});

it("takes the operator's figure first", () => {
  expect(modelLimits('my-own-model', { 'my-own-model': 5000 })).toEqual({ maxInput: 0, maxOutput: 5000 });
  expect(modelLimits('gpt-4o', { 'gpt-4o': 5000 })).toEqual({ maxInput: 128_000, maxOutput: 5000 });
  expect(modelLimits('toString', {})).toEqual({ maxInput: 0, maxOutput: 0 });
});

it('names every model once', () => {
  const names = publishedLimits.flatMap(([, , list]) => list.split(' '));
  expect(names).toEqual([...new Set(names)]);
});
