/** What a log row reports. The numbers are the wire's and the database's. */
export const LogType = { unknown: 0, topUp: 1, consume: 2, manage: 3, system: 4, checkIn: 5, error: 6 } as const;
