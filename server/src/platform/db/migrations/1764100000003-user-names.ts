import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * New names are compared without case (`console/users/username.ts`). The index is not unique: two users whose
 * names differ by case only keep them.
 */
export class UserNames1764100000003 implements MigrationInterface {
  name = 'UserNames1764100000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX users_folded_name ON users (lower(username))');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX users_folded_name');
  }
}
