import { SourceError } from './source.js';

/**
 * Loads a package that only reads sources, so that a site may be installed without it.
 * @throws SourceError when it is not installed
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(name, cause)) throw cause;
    throw new SourceError(
      `The package ${name}, which reads this kind of database, is not installed. Install it with: npm ci --include=optional`,
      { cause },
    );
  }
}

/** A module that the package itself lacks has the same code, but another name. */
function isMissing(name: string, cause: unknown): boolean {
  const { code, message = '' } = cause as { code?: string; message?: string };
  const isOfPackage = message.includes(`'${name}'`) || message.includes(`'${name}/`);
  return isOfPackage && (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND');
}
