import { assertComplete, pendingMigrations, SchemaError, type SchemaState } from './schema-state.js';

const state = (change: Partial<SchemaState> = {}): SchemaState => ({
  known: ['One1764100000001', 'Two1764100000002', 'Three1764100000003'],
  recorded: [],
  unfinished: [],
  tables: new Set(['migrations']),
  firstTable: 'users',
  ...change,
});

describe('pendingMigrations', () => {
  it.each([
    ['nothing ran', [], ['One1764100000001', 'Two1764100000002', 'Three1764100000003']],
    ['some ran', ['One1764100000001'], ['Two1764100000002', 'Three1764100000003']],
    ['all ran', ['One1764100000001', 'Two1764100000002', 'Three1764100000003'], []],
  ])('%s', (_name, recorded, pending) => {
    expect(pendingMigrations(state({ recorded }))).toEqual(pending);
  });

  it.each([
    [
      'a record this code does not know',
      { recorded: ['One1764100000001', 'Two1764100000002', 'Three1764100000003', 'Four1764100000004'] },
      /newer .*Four1764100000004/,
    ],
    [
      'a record of an unreleased build',
      { recorded: ['One1764100000001', 'Early1764000000000'] },
      /unreleased build created this database \(it has Early1764000000000\): use an empty/,
    ],
    [
      'one that began and did not finish',
      { recorded: ['One1764100000001'], unfinished: ['Two1764100000002'] },
      /half-migrated: Two1764100000002 started/,
    ],
    ['a gap', { recorded: ['One1764100000001', 'Three1764100000003'] }, /half-migrated: Two1764100000002 is missing/],
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
