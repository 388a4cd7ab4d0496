import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * `npm run sbom [-- file]` writes the bill of materials of what runs on a server, in CycloneDX format: every production package
 * of the lock file with its version and hash. The file is `dist/sbom.cdx.json` unless another is named.
 */
const file = resolve(process.argv[2] ?? 'dist/sbom.cdx.json');
const parameters = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
// npm omits development packages under NODE_ENV=production.
const env = { ...process.env, NODE_ENV: '' };
const bill = JSON.parse(execFileSync('npm', parameters, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env }));
// `--omit=dev` would also leave out production packages that development packages use (npm 11.19), so the lock file decides.
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const production = new Set(
  Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path.includes('node_modules/') && !dev && !devOptional)
    .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`),
);
const components = bill.components.filter(({ purl }) =>
  production.has(decodeURIComponent(purl).replace('pkg:npm/', '')),
);
const kept = new Set([bill.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
const dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
if (components.length === 0) throw new Error('npm wrote no bill of materials');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify({ ...bill, components, dependencies }, null, 2));
console.log(`${components.length} packages in ${file}`);
