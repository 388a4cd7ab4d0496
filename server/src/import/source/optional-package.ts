import { SourceError } from './source.js';

/**
 * Loads a package that only reads sources, so that a site may be installed without it.
 * @throws SourceError when it is not installed
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    throw new SourceError(
      `The package ${name}, which reads this kind of database, is not installed. Install it with: npm ci --include=optional`,
      { cause },
    );
  }
}
