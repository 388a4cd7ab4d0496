/** The security pages name the figures that the server and its tests use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteRate } from '../../server/src/gateway/admit/byte-rate.js';
import { keptSeconds } from '../../server/src/gateway/route/affinity/id-owners.js';
import { introspectionCost } from '../../server/src/platform/graphql/introspection.js';
import { maxListValues, maxPatterns } from '../../server/src/shared/list-bounds.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8').replace(/\s+/g, ' ');
const mebibyte = 1024 * 1024;
/** Figures of benches and tests, with the place that asserts them. */
const asserted: ReadonlyArray<readonly [file: string, assertion: string]> = [
  ['tests/bench/patterns.ts', 'const goals = { delay: 50,'],
  ['tests/bench/graphql.ts', 'const goal = 4 / 3;'],
  ['tests/security/body-memory.test.ts', 'expect(peak()).toBeLessThan(1000);'],
  ['tests/support/realtime-site.ts', 'toBeGreaterThanOrEqual(0.95 * this.speaker.worth)'],
];

it.each(asserted)('%s asserts %s', (file, assertion) => expect(read(file)).toContain(assertion));

it.each([
  [
    'docs/guide/security.md',
    [
      'at least 95 % of what',
      'for more than 50 ms',
      'less than a third',
      'below 1 GB',
      `kept for ${keptSeconds / 86_400} days`,
      `${byteRate.perSecond / mebibyte} MiB a second for each user, after ${byteRate.burst / mebibyte} MiB`,
      `${maxListValues} values and ${maxPatterns} patterns`,
      `costs ${introspectionCost};`,
    ],
  ],
  [
    'docs/zh/guide/security.md',
    [
      '至少有 95 % 计费',
      '最多阻塞事件循环 50 ms',
      '不到三分之一',
      '低于 1 GB',
      `保存 ${keptSeconds / 86_400} 天`,
      `每秒读取 ${byteRate.perSecond / mebibyte} MiB，之前可一次 ${byteRate.burst / mebibyte} MiB`,
      `${maxListValues} 个值和 ${maxPatterns} 个模式`,
      `成本 ${introspectionCost}；`,
    ],
  ],
  [
    'SECURITY.md',
    [
      'at least 95 % of what',
      'for more than 50 ms',
      'less than a third',
      'below 1 GB',
      `for ${keptSeconds / 86_400} days`,
    ],
  ],
])('%s states them', (file, figures) => {
  const page = read(file);
  expect(figures.filter((figure) => !page.includes(figure))).toEqual([]);
});
