import pg from 'pg';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { GuardedSocket } from './guarded-socket.js';
import { readerOf, type SourceDatabase, type SourceRow } from './source.js';

/** Opens a Postgres database in one read-only transaction: every read sees the same moment. */
export async function openPostgres(url: string, guard: OutboundGuard | null): Promise<SourceDatabase> {
  const { client, isEncrypted } = await connect(url, guard);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await readerOf({
      engine: 'postgres',
      plainHost: isEncrypted ? null : client.host,
      quote: '"',
      columnsStatement: `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()`,
      async query(text) {
        const { rows } = await client.query<SourceRow>(text);
        return rows;
      },
      close: () => client.end(),
    });
  } catch (error) {
    await client.end();
    throw error;
  }
}

interface Connected {
  readonly client: pg.Client;
  readonly isEncrypted: boolean;
}

/**
 * Encrypts as libpq and Go's drivers do: `require` trusts any certificate. So does `prefer`, which is meant without
 * `sslmode`, and it falls back to a plain connection when the server has no TLS. This driver alone would send the
 * password in the clear without `sslmode`, and would verify the certificate for the other two.
 */
async function connect(text: string, guard: OutboundGuard | null): Promise<Connected> {
  const mode = new URL(text).searchParams.get('sslmode');
  const isOwn = new URL(text).searchParams.has('ssl');
  if (isOwn || mode === 'disable' || mode?.startsWith('verify-')) {
    return { client: await connected(text, guard), isEncrypted: mode !== 'disable' };
  }
  try {
    return { client: await connected(withMode(text, 'require'), guard), isEncrypted: true };
  } catch (error) {
    const hasNoTls = error instanceof Error && error.message === 'The server does not support SSL connections';
    if (!hasNoTls || mode === 'require') throw error;
    return { client: await connected(withMode(text, 'disable'), guard), isEncrypted: false };
  }
}

async function connected(url: string, guard: OutboundGuard | null): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tollgate-import',
    ...(guard ? { stream: () => new GuardedSocket(guard) } : {}),
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function withMode(text: string, mode: string): string {
  const url = new URL(text);
  url.searchParams.set('sslmode', mode);
  url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}
