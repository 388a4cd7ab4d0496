import { join } from 'node:path';
import { parseAddress } from './address.js';
import { openSource } from './open-source.js';
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

describe('a site that was installed without optional packages', () => {
  afterEach(() => jest.resetModules());

  it.each([
    ['mysql2', 'mysql2/promise', 'u:p@tcp(127.0.0.1:1)/site'],
    ['node-sqlite3-wasm', 'node-sqlite3-wasm', join(import.meta.dirname, 'optional-package.test.ts')],
  ])('says to install %s when such a source is opened', async (name, module, address) => {
    jest.doMock(module, () => {
      throw Object.assign(new Error(`Cannot find package '${name}' imported from source.js`), {
        code: 'ERR_MODULE_NOT_FOUND',
      });
    });
    await expect(openSource(parseAddress(address), null)).rejects.toThrow(
      `The package ${name}, which reads this kind of database, is not installed. Install it with: npm ci --include=optional`,
    );
    jest.dontMock(module);
  });
});
