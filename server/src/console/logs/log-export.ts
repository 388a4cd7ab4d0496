import { requireConfirmed, requirePermission, type MaybeActor } from '../../shared/actor.js';
import { formatComponent, readComponents } from '../../shared/charge-lines.js';
import { csvPieces, type CsvColumn } from '../../shared/csv.js';
import { parseFields } from '../../shared/json.js';
import type { Queries } from '../../billing/rollups/index.js';
import { costOfText } from './log-cost.js';
import { logConditions, type LogFilter } from './log-conditions.js';
import { addressIn, toView, viewColumns, type LogView, type ViewRow } from './log-view.js';
import { peopleColumns, type PeopleCsv } from './log-people-csv.js';
import { namesOfChannels, ownFilter, resolveUser } from './log.service.js';
import { dateOf } from '../../shared/clock.js';

const rowsPerRead = 1000;
/** The byte order mark. Without it, spreadsheets read names as Latin-1. */
const byteOrderMark = '\uFEFF';

/** The log as CSV, in pieces: memory use does not depend on the number of rows. */
export class LogExport {
  constructor(private readonly database: Queries) {}

  /**
   * Exports all rows, newest first.
   * @param people given for a person, absent for programs
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin, CONFIRMATION_NEEDED, before the first piece
   */
  async all(actor: MaybeActor, filter: LogFilter, people?: PeopleCsv): Promise<AsyncIterable<string>> {
    requireConfirmed(requirePermission(actor, 'logs.read'));
    const resolved = await resolveUser(this.database, filter);
    const shown = people
      ? peopleColumns(people, true)
      : [...columns, ...adminColumns, ...lastColumns, ...costColumns, addressColumn];
    return this.pieces(resolved, shown, people, async (rows) => {
      const names = await namesOfChannels(this.database, rows);
      return rows.map((row) => toView(row, names));
    });
  }

  /** Exports the caller's own rows, without channels and admin details. */
  async own(actor: MaybeActor, filter: LogFilter, people?: PeopleCsv): Promise<AsyncIterable<string>> {
    const mine = await ownFilter(this.database, actor, filter);
    const shown = people ? peopleColumns(people, false) : [...columns, ...lastColumns, addressColumn];
    return this.pieces(mine, shown, people, (rows) =>
      rows.map((row) => ({ ...toView(row, new Map()), channelId: null })),
    );
  }

  private pieces(
    filter: LogFilter,
    shown: ReadonlyArray<CsvColumn<LogView>>,
    people: PeopleCsv | undefined,
    show: (rows: ViewRow[]) => LogView[] | Promise<LogView[]>,
  ): AsyncIterable<string> {
    const rows = { rowsPerRead, read: (behind?: ViewRow) => this.read(filter, behind), show };
    return csvPieces(shown, rows, people ? byteOrderMark : '');
  }

  /** Reads the rows after a row by index, so that the last piece is as fast as the first. */
  private read(filter: LogFilter, behind?: ViewRow): Promise<ViewRow[]> {
    const where = logConditions(filter);
    const before = behind
      ? `AND (l.created_at, l.id) < (${where.value(behind.createdAt)}, ${where.value(behind.id)})`
      : '';
    return this.database.query<ViewRow[]>(
      `SELECT ${viewColumns} FROM logs l WHERE ${where.toString()} ${before}
        ORDER BY l.created_at DESC, l.id DESC LIMIT ${rowsPerRead}`,
      where.values,
    );
  }
}

const columns: ReadonlyArray<CsvColumn<LogView>> = [
  ['time', (log) => dateOf(log.createdAt).toISOString()],
  ['type', (log) => log.type],
  ['username', (log) => log.username],
  ['token', (log) => log.tokenName],
  ['model', (log) => log.modelName],
  ['group', (log) => log.group],
  ['quota', (log) => log.quota],
  ['prompt_tokens', (log) => log.promptTokens],
  ['completion_tokens', (log) => log.completionTokens],
  ['use_time', (log) => log.useTime],
  ['is_stream', (log) => log.isStream],
  ['request_id', (log) => log.requestId],
  ['content', (log) => log.content],
];

/** New columns are added at the end, because scripts read columns by position. */
const lastColumns: ReadonlyArray<CsvColumn<LogView>> = [
  ['charge_lines', chargeLines],
  ['affinity', ({ other }) => /"affinity": ?"(hit|new|moved)"/.exec(other)?.[1] ?? ''],
];

/** Returns the charge of a call by a price card: `10 input x 3 USD per million = 0.00003; ...`. */
function chargeLines({ other }: LogView): string {
  // Most rows have none, and are not parsed.
  if (!other.includes('"components"')) return '';
  return (readComponents(parseFields(other)?.['components']) ?? []).map(formatComponent).join('; ');
}

/** The columns for admins. They are after all others, because scripts read columns by position. */
const costColumns: ReadonlyArray<CsvColumn<LogView>> = [
  ['cost_usd', ({ other }) => costOfText(other)?.usd ?? null],
  ['cost_basis', ({ other }) => costOfText(other)?.basis ?? null],
];

const addressColumn: CsvColumn<LogView> = ['ip', addressIn];

const adminColumns: ReadonlyArray<CsvColumn<LogView>> = [
  ['channel', (log) => log.channelId],
  ['channel_name', (log) => log.channelName],
];
