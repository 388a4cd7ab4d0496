/** The Helm chart as helm renders it. It runs where helm is installed: Debian has no package of it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');

type Tree = Readonly<Record<string, unknown>>;
const valueAt = (path: string, tree: unknown): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Tree | undefined)?.[name], tree);

it('renders objects that fit together', () => {
  const options = [
    '--kube-version',
    '1.31.0',
    '--set',
    'ingress.enabled=true,monitoring.enabled=true,ingress.tlsSecret=tls',
  ];
  const text = execFileSync('helm', ['template', 'site', join(root, 'deploy/helm/tollgate'), ...options], {
    encoding: 'utf8',
  });
  const objects = parseAllDocuments(text)
    .map((one) => one.toJS() as Tree)
    .filter(Boolean);
  const of = (kind: string): Tree[] => objects.filter((one) => one['kind'] === kind);
  const kinds = ['StatefulSet', 'Service', 'Service', 'PodDisruptionBudget', 'Ingress', 'ServiceMonitor'];
  expect(objects.map((one) => one['kind']).sort()).toEqual(kinds.sort());
  const [set] = of('StatefulSet');
  const labels = valueAt('spec.template.metadata.labels', set) as Tree;
  for (const service of of('Service')) expect(labels).toMatchObject(valueAt('spec.selector', service) as Tree);
  expect(of('Service').map((one) => valueAt('metadata.name', one))).toContain(valueAt('spec.serviceName', set));
  const monitored = of('Service').filter((service) =>
    Object.entries(valueAt('spec.selector.matchLabels', of('ServiceMonitor')[0]) as Tree).every(
      ([name, value]) => (valueAt('metadata.labels', service) as Tree)[name] === value,
    ),
  );
  expect(monitored).toHaveLength(1);
  const [container] = valueAt('spec.template.spec.containers', set) as Tree[];
  expect(container).toMatchObject({
    image: 'tollgate:0.1.0',
    readinessProbe: { httpGet: { path: '/readyz' } },
    livenessProbe: { httpGet: { path: '/healthz' } },
    volumeMounts: [
      { name: 'data', mountPath: /DATA_DIR=(\S+)/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] },
      { mountPath: '/tmp' },
    ],
  });
  expect(valueAt('spec.template.spec.terminationGracePeriodSeconds', set)).toBe(40);
});
