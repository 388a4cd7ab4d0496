/** The Helm chart as helm renders it. It runs where helm is installed: Debian has no package of it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');

type Tree = Readonly<Record<string, unknown>>;
const valueAt = (path: string, tree: unknown): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Tree | undefined)?.[name], tree);

/** @param version the Kubernetes version of the cluster */
function render(version: string, ...options: string[]): Tree[] {
  const text = execFileSync(
    'helm',
    ['template', 'site', join(root, 'deploy/helm/tollgate'), '--kube-version', version, ...options],
    { encoding: 'utf8' },
  );
  return parseAllDocuments(text)
    .map((one) => one.toJS() as Tree)
    .filter(Boolean);
}

const everything = ['--set', 'ingress.enabled=true,monitoring.enabled=true,ingress.tlsSecret=tls'];

it('renders objects that fit together', () => {
  const objects = render('1.31.0', ...everything);
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

/** Every value of the chart that is empty by default. */
const filled = [
  ...['--set', 'imagePullSecrets[0].name=registry,storage.className=fast,ingress.className=nginx,image.tag=1.2.3'],
  ...['--set-json', 'nodeSelector={"disk":"ssd"}'],
  ...['--set-json', 'tolerations=[{"key":"gateway","operator":"Exists","effect":"NoSchedule"}]'],
  ...['--set-json', 'service={"type":"LoadBalancer","port":443,"annotations":{"example.com/internal":"true"}}'],
  ...['--set-json', 'environment={"WORKERS":2,"LOG_LEVEL":"warn","UPDATE_TASK":false}'],
  ...[
    '--set-json',
    `affinity={"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"arch","operator":"In","values":["amd64"]}]}]}}}`,
  ],
];

/** Files of `tests/fixtures/kubernetes`. Unknown fields are errors. */
const typeNames: Readonly<Record<string, string>> = {
  'apps/v1 StatefulSet': 'io.k8s.api.apps.v1.StatefulSet',
  'networking.k8s.io/v1 Ingress': 'io.k8s.api.networking.v1.Ingress',
  'policy/v1 PodDisruptionBudget': 'io.k8s.api.policy.v1.PodDisruptionBudget',
  'v1 Service': 'io.k8s.api.core.v1.Service',
};

describe.each(['1.27', '1.33'])('by the schemas of Kubernetes %s', (version) => {
  const schema = JSON.parse(readFileSync(join(root, `tests/fixtures/kubernetes/${version}.json`), 'utf8')) as Tree;
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  ajv.addSchema(schema, 'kubernetes');
  const errorsOf = (object: Tree): string[] => {
    const name = typeNames[`${String(object['apiVersion'])} ${String(object['kind'])}`];
    const validate = name === undefined ? undefined : ajv.getSchema(`kubernetes#/definitions/${name}`);
    if (!validate) return [`unknown type ${String(object['apiVersion'])} ${String(object['kind'])}`];
    validate(object);
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [object['kind'], instancePath, message, JSON.stringify(params)].join(' '),
    );
  };

  it.each([
    ['the defaults', 4, []],
    ['everything turned on', 5, everything],
    ['every value given', 5, [...everything, ...filled]],
  ])('%s', (_name, count, options) => {
    const objects = render(`${version}.0`, ...options);
    // The type of the Prometheus operator is not one of Kubernetes.
    const own = objects.filter((one) => one['kind'] !== 'ServiceMonitor');
    expect(own).toHaveLength(count);
    expect(own.flatMap(errorsOf)).toEqual([]);
  });

  it('finds a field that does not exist and a value of another type', () => {
    const service = render(`${version}.0`).find((one) => one['kind'] === 'Service') as { spec: Tree };
    const wrong = { ...service, spec: { ...service.spec, port: 80, selector: { a: 1 } } } as Tree;
    expect(errorsOf(wrong)).toEqual([
      'Service /spec must NOT have additional properties {"additionalProperty":"port"}',
      'Service /spec/selector/a must be string,null {"type":["string","null"]}',
    ]);
  });
});
