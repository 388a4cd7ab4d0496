import type { DataSource } from 'typeorm';
import { asFields, parseFields, parseJson, type Fields } from '../../../shared/json.js';

/** A consume row of the log. */
export interface LoggedRow {
  readonly userId: number;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Null: the details cannot be read. */
  readonly other: Fields | null;
}

/** Rows of one page, and the place where the next one begins. */
export interface LoggedPage {
  readonly rows: readonly LoggedRow[];
  readonly next: PagePlace | null;
}

/** Rows before this one in the order of `(created_at, id)`. */
export interface PagePlace {
  readonly createdAt: string;
  readonly id: string;
}

/** So many rows are read at once, and parsed without a pause. */
const rowsPerPage = 2000;
/** Bytes of details that are read as they are. Longer ones have the texts of a conversation, or are not ours. */
const maxDetails = 16_384;
const conversation = "ARRAY['input_content', 'output_content', 'context', 'system_prompt']";

const where = `FROM logs WHERE type = 2 AND created_at >= $1 AND (created_at, id) < ($2, $3)
  ORDER BY created_at DESC, id DESC LIMIT ${rowsPerPage}`;

/**
 * One text for each page, with a line for each row: the driver needs twice as long for a million rows column by column. Each
 * line is parsed by itself, because what V8 parses from more than 100 KB survives until a major collection.
 */
const pageQuery = `SELECT string_agg(line, E'\\n') AS page, count(*)::int AS count
  FROM (SELECT '[' || created_at || ',' || id || ',' || user_id || ',' || channel_id || ',' || to_json(model_name) || ',' || to_json("group")
      || ',' || quota || ',' || prompt_tokens || ',' || completion_tokens || ','
      || CASE WHEN other = '' THEN 'null'
              WHEN octet_length(other) > ${maxDetails} THEN (other::jsonb - ${conversation})::text
              ELSE other END || ']' AS line
    ${where}) page`;

/** For a page with details that are no JSON. */
const rowsQuery = `SELECT created_at, id, user_id, channel_id, model_name, "group", quota, prompt_tokens, completion_tokens,
    CASE WHEN octet_length(other) > ${maxDetails} THEN '' ELSE other END AS other
  ${where}`;

/** Reads consume rows of a time, the newest first, page by page. @param since Unix seconds */
export async function readPage(database: DataSource, since: number, place: PagePlace): Promise<LoggedPage> {
  const parameters = [since, place.createdAt, place.id];
  const [found] = await database.query<PageRow[]>(pageQuery, parameters).catch(withoutInvalid);
  const lines = found ? linesOf(found) : null;
  if (lines) return { rows: lines.map(toRow), next: lines.length < rowsPerPage ? null : placeOf(lines.at(-1)) };
  return toPage(await database.query<PlainRow[]>(rowsQuery, parameters));
}

interface PageRow {
  readonly page: string | null;
  readonly count: number;
}

/** The database refuses long details that are no JSON: invalid_text_representation and its kin. */
function withoutInvalid(error: unknown): PageRow[] {
  if (String((error as { code?: unknown } | null)?.code).startsWith('22')) return [];
  throw error;
}

/** Null when a row is not what was built: then its details are no JSON. */
function linesOf({ page, count }: PageRow): Line[] | null {
  const texts = page === null ? [] : page.split('\n');
  if (texts.length !== count) return null;
  const lines: Line[] = [];
  for (const text of texts) {
    const line = parseJson(text);
    if (!Array.isArray(line) || line.length !== 10) return null;
    lines.push(line as Line);
  }
  return lines;
}

/** One literal without spread objects: a million rows are read. */
const toRow = (line: Line): LoggedRow => ({
  userId: line[2],
  channelId: line[3],
  modelName: line[4],
  group: line[5],
  quota: line[6],
  promptTokens: line[7],
  completionTokens: line[8],
  other: asFields(line[9]),
});

/** Begins with the time and the id. */
type Line = [number, number, number, number, string, string, number, number, number, unknown];

const placeOf = (last: Line | undefined): PagePlace | null =>
  last ? { createdAt: String(last[0]), id: String(last[1]) } : null;

interface PlainRow {
  readonly created_at: string;
  readonly id: string;
  readonly user_id: number;
  readonly channel_id: number;
  readonly model_name: string;
  readonly group: string;
  readonly quota: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly other: string;
}

function toPage(found: readonly PlainRow[]): LoggedPage {
  const rows = found.map((row): LoggedRow => ({
    ...{ userId: row.user_id, channelId: row.channel_id, modelName: row.model_name, group: row.group },
    ...{ quota: Number(row.quota), promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens },
    other: parseFields(row.other),
  }));
  const last = found.length < rowsPerPage ? undefined : found.at(-1);
  return { rows, next: last ? { createdAt: last.created_at, id: last.id } : null };
}
