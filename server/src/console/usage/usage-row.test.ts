import { UsageMetrics } from './usage-row.js';
import { zero } from './usage-statements.js';

it.each([
  ['50000', '300000000', -0.2],
  ['500000', '900000000', 0.1],
  ['1', '1000', 0.000001],
  ['0', '1', -0.000000001],
])('has a margin of %s quota and %s billionths of a USD without binary digits', (quota, nanoUsd, margin) => {
  const { cost } = new UsageMetrics({ ...zero, cost_quota: quota, cost_nano_usd: nanoUsd }, 500_000);
  expect(cost.marginUsd).toBe(margin);
});
