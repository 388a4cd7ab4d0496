import { optionalPackage } from './optional-package.js';
import { SourceError } from './source.js';

const missing = 'a-package-that-is-not-installed';

it('names a package that is not installed', async () => {
  const failure = await optionalPackage(missing, () => import(missing)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SourceError);
  expect((failure as SourceError).message).toContain(missing);
});

it('leaves another failure as it is', async () => {
  const broken = new Error('the package is broken');
  await expect(optionalPackage(missing, () => Promise.reject(broken))).rejects.toBe(broken);
});

it('leaves a missing module of an installed package as it is', async () => {
  const failure = await optionalPackage('installed', () => import(missing)).catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(SourceError);
  expect((failure as Error).message).toContain(missing);
});
