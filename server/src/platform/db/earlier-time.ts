/**
 * The earlier of this node's time and the database's, in Unix seconds. For deletions and refunds by age: a clock that
 * runs ahead would take fresh rows for old ones.
 * @param now this node's time, Unix seconds
 */
export async function earlierTime(database: TimeReader, now: number): Promise<number> {
  const [row] = await database.query<Array<{ at: string }>>('SELECT floor(extract(epoch FROM now()))::bigint AS at');
  return Math.min(now, Number(row?.at ?? 0));
}

export interface TimeReader {
  query<T>(sql: string): Promise<T>;
}
