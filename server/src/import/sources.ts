import { OutboundGuard } from '../platform/outbound/outbound-guard.js';
import { familyOf, type Family } from './family.js';
import type { ImportOptions } from './options.js';
import { openLiteLlm } from './source/litellm/litellm.js';
import { readOneHub } from './source/one-hub/one-hub.js';
import { openSource } from './source/open-source.js';
import type { SourceDatabase } from './source/source.js';

/** The opened databases of an import. */
export interface Sources {
  readonly source: SourceDatabase;
  /** The source of the log. It is the main source unless the log has a database of its own. */
  readonly logSource: SourceDatabase;
  readonly family: Family;
}

/**
 * Opens the sources of an import, and closes them after `use`.
 * @param newKey returns a key for a source that has only digests of its keys
 * @throws SourceError
 */
export async function withSources<Result>(
  options: ImportOptions,
  newKey: (digest: string) => string,
  use: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  const opened = await open(options, newKey);
  try {
    const family = familyOf(opened);
    const source = family === 'one-hub' ? await readOneHub(opened) : opened;
    const logSource = options.logSource ? await openSource(options.logSource, guardOf(options)) : source;
    try {
      return await use({ source, logSource, family });
    } finally {
      if (logSource !== source) await logSource.close();
    }
  } finally {
    await opened.close();
  }
}

async function open(options: ImportOptions, newKey: (digest: string) => string): Promise<SourceDatabase> {
  const { source, keysSource, environment = {} } = options;
  const guard = guardOf(options);
  if (source.engine !== 'sqlite' || !/\.ya?ml$/i.test(source.path)) return openSource(source, guard);
  const keys = keysSource ? await openSource(keysSource, guard) : null;
  try {
    return await openLiteLlm({ path: source.path, environment, keys, newKey, now: options.now });
  } catch (error) {
    await keys?.close();
    throw error;
  }
}

const guardOf = ({ outboundAllow }: ImportOptions): OutboundGuard | null =>
  outboundAllow ? new OutboundGuard(outboundAllow) : null;
