import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const chart = 'deploy/helm/tollgate';
const templates = readdirSync(join(root, chart, 'templates')).map((name) => read(`${chart}/templates/${name}`));
const dockerfile = read('Dockerfile');
/** The command that the image runs. */
const command = (JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[]).join(' ');

describe('the systemd unit', () => {
  const unit = read('deploy/systemd/tollgate.service');

  it('runs what the image runs, and gives calls in flight more time than SHUTDOWN_TIMEOUT', () => {
    expect(unit).toContain(`ExecStart=/usr/bin/env ${command}\n`);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(30);
  });

  it('names variables that exist', () => {
    const names = [...(/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').matchAll(/(\w+)=/g)].map(([, name]) => name);
    const documented = read('docs/configuration.md');
    for (const name of names.filter((one) => one !== 'NODE_ENV')) expect(documented).toContain(`\`${name}\``);
  });
});

describe('the bake file', () => {
  it('makes both architectures with an SBOM and provenance', () => {
    const bake = read('deploy/docker-bake.hcl');
    expect(bake).toContain('platforms  = ["linux/amd64", "linux/arm64"]');
    expect(bake).toContain('"type=sbom"');
    expect(bake).toContain('"type=provenance,mode=max"');
  });
});

type Tree = Readonly<Record<string, unknown>>;
const values = parse(read(`${chart}/values.yaml`)) as Tree;
const valueAt = (path: string, tree: unknown = values): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Tree | undefined)?.[name], tree);

describe('the chart', () => {
  it('reads values that exist, and every value is read', () => {
    const used = templates.flatMap((text) =>
      [...text.matchAll(/\$?\.Values\.([\w.]+)/g)].map(([, path]) => path ?? ''),
    );
    expect(used.filter((path) => valueAt(path) === undefined)).toEqual([]);
    const leaves = Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && !used.includes(name)
        ? Object.keys(value).map((inner) => `${name}.${inner}`)
        : [name],
    );
    expect(leaves.filter((path) => !used.includes(path))).toEqual([]);
  });

  it('has the version of the product', () => {
    const { appVersion } = parse(read(`${chart}/Chart.yaml`)) as { appVersion: string };
    expect(appVersion).toBe((JSON.parse(read('package.json')) as { version: string }).version);
  });

  const hasHelm = spawnSync('helm', ['version']).status === 0;
  (hasHelm ? it : it.skip)('renders objects that fit together (needs helm)', () => {
    const options = [
      '--kube-version',
      '1.31.0',
      '--set',
      'ingress.enabled=true,monitoring.enabled=true,ingress.tlsSecret=tls',
    ];
    const text = execFileSync('helm', ['template', 'site', join(root, chart), ...options], { encoding: 'utf8' });
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
      volumeMounts: [{ name: 'data', mountPath: /DATA_DIR=(\S+)/.exec(dockerfile)?.[1] }, { mountPath: '/tmp' }],
    });
    expect(valueAt('spec.template.spec.terminationGracePeriodSeconds', set)).toBe(40);
  });
});
