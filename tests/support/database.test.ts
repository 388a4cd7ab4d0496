import pg from 'pg';
import { createEmptyDatabase, createTestDatabase } from './database.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'";

describe('test databases', () => {
  it('are migrated, apart from each other, and gone after drop', async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await query(one.url, `CREATE TABLE only_here (id int)`);

    expect(await query(one.url, tables)).toContainEqual({ table_name: 'users' });
    expect(await query(one.url, tables)).toContainEqual({ table_name: 'only_here' });
    expect(await query(other.url, tables)).not.toContainEqual({ table_name: 'only_here' });

    await Promise.all([one.drop(), other.drop()]);
    await expect(query(one.url, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  it('can be empty', async () => {
    const empty = await createEmptyDatabase();
    expect(await query(empty.url, tables)).toEqual([]);
    await empty.drop();
  });
});
