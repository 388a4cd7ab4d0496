import type { DataSource } from 'typeorm';
import { columnsOf, copyRows } from '../../../platform/db/copy-rows.js';
import { parseFields } from '../../../shared/json.js';
import { loggedMembers, type LoggedFields } from '../logged-fields.js';
import { ByteReader, memberTable } from './byte-reader.js';

/** A consume row of the log. */
export interface LoggedRow {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly id: number;
  readonly userId: number;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The members of `loggedMembers`, and sometimes more. Null when the details cannot be read. */
  readonly other: LoggedFields | null;
}

const members = memberTable(loggedMembers);

/** Identifies the rows before this one in the order of `(created_at, id)`. */
interface Position {
  readonly createdAt: number;
  readonly id: number;
}

/** Rows per statement. The statement stays far below its time limit, also when calls keep this process busy. */
const rowsPerRead = 100_000;
/**
 * Maximum number of rows read without long details. After long details that are invalid JSON, one row is read without
 * long details, the next time two, and so on.
 */
const maxWithoutLong = 1024;
/** Bytes. Longer details contain the texts of a conversation, or were written by another program. */
const maxDetails = 16_384;
const conversation = "ARRAY['input_content', 'output_content', 'context', 'system_prompt']";

/**
 * Reads consume rows of a period, the newest first.
 * @param since Unix seconds
 * @param until Unix seconds, exclusive
 * @param maxRows maximum rows
 * @returns false when there are more rows
 */
export async function readCalls(
  database: DataSource,
  { since, until, maxRows }: { readonly since: number; readonly until: number; readonly maxRows: number },
  onRow: (row: LoggedRow) => void,
): Promise<boolean> {
  let place: Position = { createdAt: until, id: 0 };
  const reader = new RowReader();
  let left = maxRows;
  let hasInvalid = false;
  let withoutLong = 0;
  for (;;) {
    // One more row than needed shows whether there are more.
    const wanted = Math.min(hasInvalid ? withoutLong : rowsPerRead, left + 1);
    let found = 0;
    const take = (bytes: Buffer): void => {
      const row = reader.read(bytes);
      found += 1;
      place = row;
      if (left > 0) onRow(row);
      left -= 1;
    };
    const long: string = hasInvalid ? `''` : `(other::jsonb - ${conversation})::text`;
    hasInvalid = !(await copyRows(database, selectOf(since, place, wanted, long), take).then(() => true, isInvalid));
    if (left < 0) return false;
    if (hasInvalid) withoutLong = Math.min(withoutLong * 2 || 1, maxWithoutLong);
    else if (found < wanted) return true;
  }
}

const columns = 'created_at, id, user_id, channel_id, model_name, "group", quota, prompt_tokens, completion_tokens';

/** Returns a statement. Long details are read outside of the order, so that rows before a refused one arrive. */
const selectOf = (since: number, { createdAt, id }: Position, limit: number, long: string): string =>
  `SELECT ${columns}, CASE WHEN octet_length(other) > ${maxDetails} THEN ${long} ELSE other END
     FROM (SELECT ${columns}, other FROM logs WHERE type = 2 AND created_at >= ${integer(since)}
              AND (created_at, id) < (${integer(createdAt)}, ${integer(id)})
            ORDER BY created_at DESC, id DESC LIMIT ${integer(limit)}) page`;

const integer = (value: number): string => BigInt(value).toString();

/**
 * Whether the database refused long details that are invalid JSON (invalid_text_representation and similar codes).
 * @throws other errors
 */
function isInvalid(error: unknown): false {
  if (String((error as { code?: unknown } | null)?.code).startsWith('22')) return false;
  throw error;
}

const backslash = 0x5c;

/** Reads the columns of `selectOf`. */
class RowReader {
  private readonly reader = new ByteReader();

  read(row: Buffer): LoggedRow {
    return row.includes(backslash) ? rowOf(columnsOf(row)) : this.plainRow(row);
  }

  /** Reads a row without escapes. One literal without spread objects is used, because a million rows are read. */
  private plainRow(row: Buffer): LoggedRow {
    const { reader } = this;
    reader.open(row);
    const createdAt = reader.integerColumn();
    const id = reader.integerColumn();
    const userId = reader.integerColumn();
    const channelId = reader.integerColumn();
    const modelName = reader.textColumn();
    const group = reader.textColumn();
    const quota = reader.integerColumn();
    const promptTokens = reader.integerColumn();
    const completionTokens = reader.integerColumn();
    const other = reader.members(members) ?? parseFields(row.toString('utf8', row.lastIndexOf('\t') + 1));
    return { createdAt, id, userId, channelId, modelName, group, quota, promptTokens, completionTokens, other };
  }
}

function rowOf(columns: readonly string[]): LoggedRow {
  const [createdAt, id, userId, channelId, modelName = '', group = '', quota, prompt, completion, other = ''] = columns;
  return {
    createdAt: Number(createdAt),
    id: Number(id),
    userId: Number(userId),
    channelId: Number(channelId),
    modelName,
    group,
    quota: Number(quota),
    promptTokens: Number(prompt),
    completionTokens: Number(completion),
    other: parseFields(other),
  };
}
