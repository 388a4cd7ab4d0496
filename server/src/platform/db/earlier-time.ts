/**
 * Returns the earlier of this node's time and the database's, in Unix seconds. Deletions and refunds by age use it: a
 * clock that is ahead would make fresh rows look old.
 * @param now this node's time, Unix seconds
 */
export async function earlierTime(database: TimeReader, now: number): Promise<number> {
  const [row] = await database.query<Array<{ at: string }>>('SELECT floor(extract(epoch FROM now()))::bigint AS at');
  return Math.min(now, Number(row?.at ?? 0));
}

export interface TimeReader {
  query<T>(sql: string): Promise<T>;
}
