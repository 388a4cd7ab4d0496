import type pg from 'pg';

/** The parts of a schema on which running servers of the previous version depend. */
export interface SchemaParts {
  /** `table.column` */
  readonly columns: ReadonlyMap<
    string,
    { readonly type: string; readonly isRequired: boolean; readonly isFilled: boolean }
  >;
  /** `name(argument types)` → type of the result */
  readonly functions: ReadonlyMap<string, string>;
  /** Constraints and unique indexes: `table name` → the columns, `?` for an expression. */
  readonly rules: ReadonlyMap<string, readonly string[]>;
}

export async function readSchema(client: Pick<pg.Client, 'query'>): Promise<SchemaParts> {
  const columns = await client.query<{ name: string; type: string; required: boolean; filled: boolean }>(`
    SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
           a.atthasdef OR a.attidentity <> '' AS filled
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
       AND NOT a.attisdropped AND NOT c.relispartition`);
  const functions = await client.query<{ name: string; result: string }>(`
    SELECT p.oid::regprocedure::text AS name, pg_get_function_result(p.oid) AS result
      FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace`);
  const rules = await client.query<{ name: string; columns: string[] }>(`
    SELECT o.conrelid::regclass || ' ' || o.conname AS name,
           ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = o.conrelid AND a.attnum = ANY (o.conkey)) AS columns
      FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
     WHERE o.connamespace = current_schema()::regnamespace AND NOT c.relispartition AND o.contype <> 'n'
     UNION
    SELECT i.indrelid::regclass || ' ' || i.indexrelid::regclass,
           ARRAY(SELECT coalesce(a.attname::text, '?') FROM unnest(i.indkey::int[]) AS k(num)
                   LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num AND k.num > 0)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND i.indisunique AND NOT c.relispartition`);
  return {
    columns: new Map(
      columns.rows.map(({ name, type, required, filled }) => [name, { type, isRequired: required, isFilled: filled }]),
    ),
    functions: new Map(functions.rows.map(({ name, result }) => [name, result])),
    rules: new Map(rules.rows.map(({ name, columns: of }) => [name, of])),
  };
}

/** Returns the changes that break a server of the previous schema, one line each. */
export function breakingChanges(before: SchemaParts, after: SchemaParts): string[] {
  const found: string[] = [];
  const tableOf = (name: string): string => name.slice(0, name.indexOf('.'));
  const tables = new Set([...before.columns.keys()].map(tableOf));
  for (const [name, old] of before.columns) {
    const now = after.columns.get(name);
    if (!now) found.push(`column ${name} is gone`);
    else if (now.type !== old.type) found.push(`column ${name} has another type`);
    else if (now.isRequired && !old.isRequired) found.push(`column ${name} may no longer be null`);
    else if (old.isFilled && !now.isFilled && now.isRequired) found.push(`column ${name} has lost its default`);
  }
  for (const [name, now] of after.columns) {
    const isNew = tables.has(tableOf(name)) && !before.columns.has(name);
    if (isNew && now.isRequired && !now.isFilled) found.push(`column ${name} is new and required, without a default`);
  }
  for (const [name, result] of before.functions) {
    const now = after.functions.get(name);
    if (now === undefined) found.push(`function ${name} is gone`);
    else if (now !== result) found.push(`function ${name} returns another type`);
  }
  for (const [name, columns] of after.rules) {
    const [table = ''] = name.split(' ');
    // A rule about new columns only does not affect the previous version, which leaves them at their defaults.
    const isAboutOld = columns.some((column) => column === '?' || before.columns.has(`${table}.${column}`));
    if (tables.has(table) && isAboutOld && !before.rules.has(name)) found.push(`rule ${name} is new`);
  }
  return found.sort();
}
