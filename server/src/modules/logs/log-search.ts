import type { Queries } from '../rollups/rollups.service.js';
import { escapeLike } from '../../shared/page.js';
import { Where } from './log-conditions.js';
import { LogType } from './log.entity.js';
import { viewColumns, type ViewRow } from './log-view.js';

export const searchSize = 100;
const searchedCalls = 10_000;
/** Up to this many rows are found by content; when there are more, only the newest of each type are searched. */
const maxAlike = 2000;
const otherTypes = Object.values(LogType).filter((type) => type !== LogType.consume);
const newestFirst = 'ORDER BY created_at DESC, id DESC';

/** The newest rows of a type, or whose content starts with a text. */
export async function searchLogs(database: Queries, keyword: string, type: number | null): Promise<ViewRow[]> {
  const where = new Where();
  const start = where.value(`${escapeLike(keyword)}%`);
  // In the order of the index on content, so that the planner uses it.
  const alike = `SELECT created_at, id FROM logs WHERE type <> ${LogType.consume} AND content LIKE ${start}
    ORDER BY content USING ~<~ LIMIT ${maxAlike}`;
  const [found] = await database.query<Array<{ rows: number }>>(
    `SELECT count(*)::integer AS rows FROM (${alike}) alike`,
    where.values,
  );
  const among = (rows: string, condition: string): string =>
    `(SELECT created_at, id FROM (SELECT created_at, id, type, content FROM logs ${rows}) newest
       WHERE ${condition} ${newestFirst} LIMIT ${searchSize})`;
  const newest = (of: string, count: number): string => `${of} ${newestFirst} LIMIT ${count}`;
  const parts = [
    among(newest('', searchedCalls), `type = ${LogType.consume} AND content LIKE ${start}`),
    ...((found?.rows ?? 0) < maxAlike
      ? [`(${alike})`]
      : otherTypes.map((other) => among(newest(`WHERE type = ${other}`, maxAlike), `content LIKE ${start}`))),
    ...(type === null ? [] : [among(newest(`WHERE type = ${where.value(type)}`, searchSize), 'TRUE')]),
  ];
  return database.query<ViewRow[]>(
    `SELECT ${viewColumns} FROM
       (SELECT DISTINCT created_at, id FROM (${parts.join(' UNION ALL ')}) every ${newestFirst} LIMIT ${searchSize}) keys
       JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id ORDER BY l.created_at DESC, l.id DESC`,
    where.values,
  );
}
