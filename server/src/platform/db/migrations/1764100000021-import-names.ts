import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['runs', 'rows', 'jobs'] as const;

/** The import of a site had another name before. Entries of the ledger are found by their source when an import is repeated. */
export class ImportNames1764100000021 implements MigrationInterface {
  name = 'ImportNames1764100000021';

  async up(runner: QueryRunner): Promise<void> {
    await rename(runner, oldNames, importNames);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rename(runner, importNames, oldNames);
  }
}

interface Names {
  readonly table: string;
  readonly source: string;
  readonly subject: string;
}

const oldNames: Names = { table: 'move_in', source: 'move-in', subject: 'moveIn' };
const importNames: Names = { table: 'import', source: 'import', subject: 'import' };

async function rename(runner: QueryRunner, from: Names, to: Names): Promise<void> {
  for (const table of tables) {
    await runner.query(`ALTER TABLE ${from.table}_${table} RENAME TO ${to.table}_${table}`);
    await runner.query(`ALTER INDEX ${from.table}_${table}_pkey RENAME TO ${to.table}_${table}_pkey`);
  }
  await runner.query(
    `UPDATE ledger_entries SET source = $2 || substr(source, length($1) + 1) WHERE source LIKE $1 || '%'`,
    [`${from.source}:`, `${to.source}:`],
  );
  await runner.query('UPDATE audit_entries SET subject = $2 WHERE subject = $1', [from.subject, to.subject]);
}
