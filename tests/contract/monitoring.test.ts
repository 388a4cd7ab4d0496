import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Metrics } from '../../server/src/platform/observability/metrics.js';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}
const { groups } = parse(read('monitoring/alerts.yml')) as { groups: Array<{ rules: Rule[] }> };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('monitoring/dashboard.json')) as {
  panels: Array<{ title: string; targets: Array<{ expr: string }> }>;
};

/** Every series that a server exposes, with its labels. */
function exposed(): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>([['up', new Set(['job', 'instance'])]]);
  for (const metric of new Metrics().registry.getMetricsAsArray()) {
    const { type, labelNames } = metric as unknown as { type: string; labelNames: readonly string[] };
    const labels = new Set([...labelNames, 'instance', 'job']);
    const isHistogram = type === 'histogram' || 'upperBounds' in metric;
    if (!isHistogram) series.set(metric.name, labels);
    else for (const end of ['bucket', 'sum', 'count']) series.set(`${metric.name}_${end}`, new Set([...labels, 'le']));
  }
  return series;
}

const words = new Set(
  'sum by max absent histogram_quantile rate increase le and or on ignoring without __rate_interval'.split(' '),
);

/** Returns the names in an expression: series, and labels in `by (…)` and `{…}`. */
function namesOf(expr: string): { series: string[]; labels: string[] } {
  const labels = [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap((match) => match[1]!.split(',').map((one) => one.trim())),
    ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap((match) => [...match[1]!.matchAll(/(\w+)=/g)].map((one) => one[1]!)),
  ];
  const bare = expr
    .replace(/\bby \([^)]*\)/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '');
  const series = [...bare.matchAll(/[a-z_][a-z0-9_]*/gi)].map((match) => match[0]).filter((name) => !words.has(name));
  return { series, labels };
}

const known = exposed();
const expressions = [
  ...rules.map(({ alert, expr }) => ({ name: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
];

it.each(expressions)('$name: uses series and labels that a server exposes: $expr', ({ expr }) => {
  const { series, labels } = namesOf(expr);
  expect(series.length).toBeGreaterThan(0);
  expect(series.filter((name) => !known.has(name))).toEqual([]);
  const allowed = new Set(series.flatMap((name) => [...known.get(name)!]));
  expect(labels.filter((label) => !allowed.has(label))).toEqual([]);
});

it('has a panel or an alert for every metric of our own', () => {
  const used = expressions.map(({ expr }) => expr).join('\n');
  const own = new Metrics().registry.getMetricsAsArray().map(({ name }) => name);
  expect(own.filter((name) => name.startsWith('tollgate_') && !used.includes(name))).toEqual([]);
});

it.each(['guide/operations.md', 'zh/guide/operations.md'])('%s lists every alert', (file) => {
  const text = read(file);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.map(({ alert }) => alert).filter((alert) => !text.includes(`\`${alert}\``))).toEqual([]);
  for (const { labels, annotations } of rules) {
    expect(['page', 'warn']).toContain(labels.severity);
    expect(annotations.summary && annotations.action).toBeTruthy();
  }
});
