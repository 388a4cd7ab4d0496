import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

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

  it('lets Node list the addresses of the machine, without which no server listens on all of them', () => {
    const families = /^RestrictAddressFamilies=(.*)$/m.exec(unit)?.[1]?.split(' ');
    expect(families).toEqual(expect.arrayContaining(['AF_INET', 'AF_INET6', 'AF_UNIX', 'AF_NETLINK']));
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

  it('lets a migration of a large database run for half an hour before a pod is replaced', () => {
    const [, probe = ''] = /startupProbe:([\s\S]*?)livenessProbe/.exec(templates.join('\n')) ?? [];
    const number = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(probe)?.[1]);
    expect(number('periodSeconds') * number('failureThreshold')).toBeGreaterThanOrEqual(1800);
  });

  it('has the version of the product', () => {
    const { appVersion } = parse(read(`${chart}/Chart.yaml`)) as { appVersion: string };
    expect(appVersion).toBe((JSON.parse(read('package.json')) as { version: string }).version);
  });
});
