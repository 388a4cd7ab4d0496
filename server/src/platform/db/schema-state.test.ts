import { assertComplete, pendingMigrations, SchemaError, type SchemaState } from './schema-state.js';

const state = (change: Partial<SchemaState> = {}): SchemaState => ({
  known: ['One1', 'Two2', 'Three3'],
  recorded: [],
  unfinished: [],
  tables: new Set(['migrations']),
  firstTable: 'users',
  ...change,
});

describe('pendingMigrations', () => {
  it.each([
    ['nothing ran', [], ['One1', 'Two2', 'Three3']],
    ['some ran', ['One1'], ['Two2', 'Three3']],
    ['all ran', ['One1', 'Two2', 'Three3'], []],
  ])('%s', (_name, recorded, pending) => {
    expect(pendingMigrations(state({ recorded }))).toEqual(pending);
  });

  it.each([
    ['a record this code does not know', { recorded: ['One1', 'Two2', 'Three3', 'Four4'] }, /newer .*Four4/],
    ['one that began and did not finish', { recorded: ['One1'], unfinished: ['Two2'] }, /half-migrated: Two2 started/],
    ['a gap', { recorded: ['One1', 'Three3'] }, /half-migrated: Two2 is missing/],
    ['tables without a record', { tables: new Set(['migrations', 'users']) }, /half-migrated: table "users" exists/],
  ])('refuses %s in one line', (_name, change, message) => {
    expect(() => pendingMigrations(state(change))).toThrow(SchemaError);
    expect(() => pendingMigrations(state(change))).toThrow(message);
    try {
      pendingMigrations(state(change));
    } catch (error) {
      expect((error as Error).message).not.toContain('\n');
    }
  });
});

describe('assertComplete', () => {
  const expected = [{ table: 'users', columns: ['id', 'quota'] }];

  it('takes what is there, and more', () => {
    expect(() => assertComplete(expected, new Map([['users', new Set(['id', 'quota', 'x'])]]))).not.toThrow();
  });

  it('names a missing table, and a missing column', () => {
    expect(() => assertComplete(expected, new Map())).toThrow(/table "users" is missing/);
    expect(() => assertComplete(expected, new Map([['users', new Set(['id'])]]))).toThrow(
      /column "quota" of table "users" is missing/,
    );
  });
});
