import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { nameOf, type SourceAddress } from './address.js';
import { openMysql } from './mysql.js';
import { openPostgres } from './postgres.js';
import { SourceError, type SourceDatabase } from './source.js';
import { openSqlite } from './sqlite.js';

/**
 * Opens a source for reading only.
 * @param guard decides which addresses may be called; null: all
 * @throws SourceError with one sentence, which contains no password
 */
export async function openSource(address: SourceAddress, guard: OutboundGuard | null): Promise<SourceDatabase> {
  try {
    if (address.engine === 'sqlite') return await openSqlite(address.path);
    return address.engine === 'mysql' ? await openMysql(address, guard) : await openPostgres(address.url, guard);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new SourceError(`The source ${nameOf(address)} cannot be opened: ${reason}`, { cause: error });
  }
}
