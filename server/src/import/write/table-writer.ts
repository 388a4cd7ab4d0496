import { createHash } from 'node:crypto';
import { UserSettings } from '../../billing/accounts/index.js';
import { storableJson } from '../../shared/json.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Findings } from '../findings.js';
import type { Mapped } from '../map/mapped.js';
import type { TableSpec } from '../tables.js';
import type { Target } from './target.js';

/** Counts of mapped rows by their outcome. */
export interface WriteCounts {
  moved: number;
  /** Number of rows that an earlier run has imported and that have changed in the source since. */
  changed: number;
  /** Number of rows that an earlier run has imported and that are unchanged. */
  same: number;
  refused: number;
}

type Amounts = Readonly<Record<string, number>>;

interface Before {
  readonly digest: Buffer;
  readonly amounts: Amounts;
}

interface Refused {
  readonly row: Mapped;
  readonly reason: string;
}

interface Part {
  readonly before: ReadonlyMap<string, Before>;
  readonly counts: WriteCounts;
  readonly refused: Refused[];
}

/** Writes rows into one table, each once. A later run writes only rows that changed in the source. */
export class TableWriter {
  private readonly settings: UserSettings;

  constructor(
    private readonly target: Target,
    private readonly secrets: Secrets,
    private readonly source: string,
    private readonly findings: Findings,
  ) {
    this.settings = new UserSettings(secrets);
  }

  /**
   * Writes the rows in one transaction per batch. A batch with a row that the database refuses is halved until only
   * that row is left out.
   */
  async write(spec: TableSpec, rows: readonly Mapped[]): Promise<WriteCounts> {
    const before = await this.readBefore(spec, rows);
    const counts: WriteCounts = { moved: 0, changed: 0, same: 0, refused: 0 };
    await this.remove(spec, rows, before, counts);
    const pending = rows.filter((row) => {
      if (row.isGone) return false;
      const known = before.get(row.key);
      const isSame = known?.digest.equals(digestOf(row)) && sameAmounts(known.amounts, row.amounts ?? {});
      if (isSame) counts.same++;
      return !isSame;
    });
    const refused: Refused[] = [];
    await this.writePart(spec, pending, { before, counts, refused });
    for (const { row, reason } of await this.exchange(spec, refused, { before, counts })) {
      counts.refused++;
      this.findings.add('record-refused', spec.source, row.key, reason);
    }
    return counts;
  }

  /**
   * Writes rows that were refused because another row of the batch still had their name, address or key.
   * @returns the rows that are refused anyway
   */
  private async exchange(
    spec: TableSpec,
    refused: readonly Refused[],
    { before, counts }: Pick<Part, 'before' | 'counts'>,
  ): Promise<readonly Refused[]> {
    const isChanged = (row: Mapped): boolean => before.get(row.key)?.digest.equals(digestOf(row)) === false;
    const rows = refused.map(({ row }) => row).filter(isChanged);
    if (!spec.parked || rows.length < 2) return refused;
    try {
      await this.target.transaction(async () => {
        const ids = rows.map(({ values }) => values['id']);
        await this.target.query(`UPDATE ${spec.target} SET ${spec.parked} WHERE id = ANY ($1)`, [ids]);
        await this.writeAll(spec, rows, before);
      });
    } catch (error) {
      if (!isDataError(error)) throw error;
      return refused;
    }
    counts.changed += rows.length;
    return refused.filter(({ row }) => !rows.includes(row));
  }

  private async writePart(spec: TableSpec, rows: readonly Mapped[], part: Part): Promise<void> {
    if (rows.length === 0) return;
    const { before, counts, refused } = part;
    try {
      await this.target.transaction(() => this.writeAll(spec, rows, before));
      for (const { key } of rows) {
        if (before.has(key)) counts.changed++;
        else counts.moved++;
      }
    } catch (error) {
      const [only] = rows;
      if (!isDataError(error)) throw error;
      if (rows.length === 1 && only) {
        refused.push({ row: only, reason: (error as Error).message });
        return;
      }
      const middle = Math.ceil(rows.length / 2);
      await this.writePart(spec, rows.slice(0, middle), part);
      await this.writePart(spec, rows.slice(middle), part);
    }
  }

  private async writeAll(spec: TableSpec, rows: readonly Mapped[], before: ReadonlyMap<string, Before>): Promise<void> {
    const inserted = rows.filter(({ key }) => !before.has(key));
    const updated = rows.filter((row) => before.has(row.key));
    await this.insert(spec, inserted);
    await this.update(spec, updated, before);
    const difference = rows.map((row) => ({ row, by: differenceOf(row.amounts, before.get(row.key)?.amounts) }));
    const openings = await this.readOpenings(spec, inserted);
    for (const [column, account] of Object.entries(spec.accounts)) {
      const entries = difference
        .filter(({ row, by }) => (by[column] ?? 0) !== 0 || (account !== 'affiliate' && !before.has(row.key)))
        .map(({ row, by }) => ({
          source: `import:${account}:${row.key}`,
          user_id: row.values['user_id'] ?? row.values['id'],
          token_id: account === 'token' ? row.values['id'] : 0,
          amount: (by[column] ?? 0) + (account === 'affiliate' ? 0 : (openings.get(row.key) ?? 0)),
        }));
      await this.target.query(
        `INSERT INTO ledger_entries AS e (source, kind, account, user_id, token_id, amount, note)
         SELECT source, 'opening', $2, user_id, token_id, amount, 'imported'
           FROM jsonb_to_recordset($1::jsonb) AS v(source text, user_id integer, token_id integer, amount bigint)
         ON CONFLICT (source) DO UPDATE SET amount = e.amount + excluded.amount`,
        [JSON.stringify(entries), account],
      );
    }
    if (spec.opening) {
      const counters = difference.map(({ row, by }) => ({
        id: row.values['id'],
        used: (by['used_quota'] ?? 0) - (openings.get(row.key) ?? 0),
      }));
      await this.target.query(
        `INSERT INTO opening_counters AS c (kind, id, used_quota)
         SELECT $2, id, used FROM jsonb_to_recordset($1::jsonb) AS v(id integer, used bigint)
         ON CONFLICT (kind, id) DO UPDATE SET used_quota = c.used_quota + excluded.used_quota`,
        [JSON.stringify(counters), spec.opening],
      );
    }
    const alongside = rows.flatMap((row) => row.alongside ?? []);
    if (spec.alongside && alongside.length > 0) await this.target.query(spec.alongside, [JSON.stringify(alongside)]);
    await this.remember(spec, rows);
    await this.finishBatch(spec, rows);
  }

  /**
   * Returns, by key, the usage of new rows that an earlier run has imported with the log although it refused the rows.
   * The opening entry and the counter of these rows contain all usage before the import as one amount, so the usage in the log is
   * subtracted.
   */
  private async readOpenings({ opening }: TableSpec, inserted: readonly Mapped[]): Promise<Map<string, number>> {
    if (!opening || inserted.length === 0) return new Map();
    const rows = await this.target.query<{ id: number; quota: string }>(
      `SELECT ${opening}_id AS id, sum(quota) AS quota FROM usage_hourly WHERE ${opening}_id = ANY ($1) GROUP BY 1`,
      [inserted.map(({ values }) => values['id'])],
    );
    const byId = new Map<unknown, number>(rows.map(({ id, quota }) => [id, Number(quota)]));
    return new Map(inserted.map(({ key, values }) => [key, byId.get(values['id']) ?? 0]));
  }

  /** Deletes rows that an earlier run has imported and that are no longer in the source. */
  private async remove(
    spec: TableSpec,
    rows: readonly Mapped[],
    before: ReadonlyMap<string, Before>,
    counts: WriteCounts,
  ): Promise<void> {
    const gone = rows.filter((row) => row.isGone && before.has(row.key));
    if (gone.length === 0) return;
    const matches = spec.key.map((name) => `t.${quoted(name)} = v.${quoted(name)}`).join(' AND ');
    await this.target.transaction(async () => {
      await this.target.query(
        `DELETE FROM ${spec.target} t USING jsonb_populate_recordset(NULL::${spec.target}, $1::jsonb) v WHERE ${matches}`,
        [storableJson(gone.map((row) => keysOnly(row, spec.key)))],
      );
      await this.target.query(
        'DELETE FROM import_rows WHERE source = $1 AND source_table = $2 AND source_key = ANY ($3)',
        [this.source, spec.source, gone.map(({ key }) => key)],
      );
      await this.finishBatch(spec, gone);
    });
    counts.changed += gone.length;
  }

  private async finishBatch({ afterBatch }: TableSpec, rows: readonly Mapped[]): Promise<void> {
    if (afterBatch) await this.target.query(afterBatch, [rows.map(({ values }) => values['user_id'])]);
  }

  private async insert({ target, key, overwrites }: TableSpec, rows: readonly Mapped[]): Promise<void> {
    if (rows.length === 0) return;
    const values = rows.map((row) => ({ ...this.columnsOf(row), ...row.amounts }));
    const names = Object.keys(values[0] ?? {}).map(quoted);
    await this.target.query(
      `INSERT INTO ${target} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT ${names.join(', ')} FROM json_populate_recordset(NULL::${target}, $1::json)
       ${overwrites ? `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}` : ''}`,
      [storableJson(values)],
    );
  }

  /** Balances and counters change by the difference, because calls on this site may have changed them meanwhile. */
  private async update(spec: TableSpec, rows: readonly Mapped[], before: ReadonlyMap<string, Before>): Promise<void> {
    const { target, key, merged = {} } = spec;
    const matches = key.map((name) => `t.${quoted(name)} = v.${quoted(name)}`).join(' AND ');
    for (const hasValues of [true, false]) {
      const some = rows.filter((row) => !before.get(row.key)?.digest.equals(digestOf(row)) === hasValues);
      if (some.length === 0) continue;
      const values = some.map((row) => ({
        ...(hasValues ? this.columnsOf(row) : keysOnly(row, key)),
        ...differenceOf(row.amounts, before.get(row.key)?.amounts),
      }));
      const amounts = Object.keys(some[0]?.amounts ?? {});
      const plain = Object.keys(values[0] ?? {}).filter((name) => !key.includes(name) && !amounts.includes(name));
      const changes = [
        ...plain.map((name) => `${quoted(name)} = ${merged[name] ?? `v.${quoted(name)}`}`),
        ...amounts.map((name) => `${quoted(name)} = ${merged[name] ?? `t.${quoted(name)} + v.${quoted(name)}`}`),
      ];
      if (changes.length === 0) continue;
      await this.target.query(
        `UPDATE ${target} t SET ${changes.join(', ')} FROM json_populate_recordset(NULL::${target}, $1::json) v WHERE ${matches}`,
        [storableJson(values)],
      );
    }
  }

  private columnsOf({ values, sealed = {}, hashed = {}, setting }: Mapped): Record<string, unknown> {
    const bytes = (text: string): string => `\\x${this.secrets.hash(text).toString('hex')}`;
    return {
      ...values,
      ...mapValues(sealed, (text) => this.secrets.seal(text)),
      ...mapValues(hashed, (text) => (text === null ? null : bytes(text))),
      ...(setting ? { setting: this.settings.stored(setting) } : {}),
    };
  }

  private async readBefore({ source }: TableSpec, rows: readonly Mapped[]): Promise<Map<string, Before>> {
    const found = await this.target.query<{ source_key: string; digest: Buffer; amounts: Amounts }>(
      'SELECT source_key, digest, amounts FROM import_rows WHERE source = $1 AND source_table = $2 AND source_key = ANY ($3)',
      [this.source, source, rows.map(({ key }) => key)],
    );
    return new Map(found.map(({ source_key, digest, amounts }) => [source_key, { digest, amounts }]));
  }

  private async remember({ source }: TableSpec, rows: readonly Mapped[]): Promise<void> {
    const made = rows.map((row) => ({
      source: this.source,
      source_table: source,
      source_key: row.key,
      digest: `\\x${digestOf(row).toString('hex')}`,
      amounts: row.amounts ?? {},
    }));
    await this.target.query(
      `INSERT INTO import_rows (source, source_table, source_key, digest, amounts)
       SELECT source, source_table, source_key, digest, amounts FROM jsonb_populate_recordset(NULL::import_rows, $1::jsonb)
       ON CONFLICT (source, source_table, source_key) DO UPDATE SET digest = excluded.digest, amounts = excluded.amounts`,
      [storableJson(made)],
    );
  }
}

/** Returns the digest of all values except balances and counters. */
const digestOf = ({ values, sealed, hashed, setting, alongside }: Mapped): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([values, sealed ?? null, hashed ?? null, setting ?? null, alongside ?? null]))
    .digest();

const sameAmounts = (before: Amounts, now: Amounts): boolean =>
  Object.keys(now).every((name) => before[name] === now[name]);

const differenceOf = (now: Amounts = {}, before: Amounts = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(now).map(([name, amount]) => [name, amount - (before[name] ?? 0)]));

const keysOnly = ({ values }: Mapped, key: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(key.map((name) => [name, values[name]]));

const mapValues = <From, To>(table: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, to(value)]));

const quoted = (name: string): string => `"${name}"`;

/**
 * Whether the database refused a value, a duplicate, or a text that is too long for an index. Any other error is not
 * caused by the row.
 */
const isDataError = (error: unknown): boolean => /^(22|23|54)/.test((error as { code?: string }).code ?? '');
