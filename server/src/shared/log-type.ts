/** The kind of a log row. The numbers are those of the wire and the database. */
export const LogType = { unknown: 0, topUp: 1, consume: 2, manage: 3, system: 4, checkIn: 5, error: 6 } as const;
