import pg from 'pg';
import { readerOf, type SourceDatabase, type SourceRow } from './source.js';

/** Opens a Postgres database in one read-only transaction: every read sees the same moment. */
export async function openPostgres(url: string): Promise<SourceDatabase> {
  const client = new pg.Client({ connectionString: asGoReads(url), application_name: 'tollgate-move-in' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await readerOf({
      engine: 'postgres',
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

/** Go's drivers and libpq trust any certificate with `sslmode=require`; this driver does so with a parameter only. */
function asGoReads(text: string): string {
  const url = new URL(text);
  if (url.searchParams.get('sslmode') !== 'require') return text;
  url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}
