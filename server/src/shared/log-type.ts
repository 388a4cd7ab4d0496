/** The kind of a log row. The numbers are those of the database; `test` is a channel test, which no user pays. */
export const LogType = {
  unknown: 0,
  topUp: 1,
  consume: 2,
  manage: 3,
  system: 4,
  checkIn: 5,
  error: 6,
  test: 7,
} as const;

/** Types of rows of calls: answered and failed ones. */
export const callTypes: readonly number[] = [LogType.consume, LogType.error];

/** Types of rows whose quota was added to the balance, or deducted by an admin. It is not the cost of a call. */
export const creditTypes: readonly number[] = [LogType.topUp, LogType.manage, LogType.system, LogType.checkIn];
