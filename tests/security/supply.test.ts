/** The parts that a release is built from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

it('images are pinned by digest', () => {
  const images = [
    ...read('Dockerfile').matchAll(/^(?:FROM|ARG \w*IMAGE=)\s*(\S+)/gm),
    ...read('docker-compose.yml').matchAll(/^\s*image:\s*(\S+)/gm),
  ]
    .map(([, image]) => image ?? '')
    // Stages, the argument above, and the image that this repository builds.
    .filter((image) => image.includes(':') && !image.startsWith('$') && !image.startsWith('tollgate'));
  expect(images.length).toBeGreaterThanOrEqual(3);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
});

it('every package of the lock file has its hash, and comes from a registry', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  expect(installed.length).toBeGreaterThan(100);
  const unsafe = installed.filter(([, { integrity, resolved }]) => !integrity || resolved?.startsWith('git'));
  expect(unsafe.map(([path]) => path)).toEqual([]);
});
