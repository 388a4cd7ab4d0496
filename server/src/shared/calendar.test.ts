import { dayOf, hourOf, offsetAt, startOfDay, startOfHour } from './calendar.js';

const hour = 3_600_000;
const step = 300_000;

/** Zones and the days around changes of their clocks. */
const changes: ReadonlyArray<[zone: string, date: string]> = [
  // The clocks change by 30 minutes, forward and back.
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Australia/Lord_Howe', '2026-04-05'],
  // Midnight is skipped, and 23 o'clock is repeated.
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2018-02-18'],
  ['Asia/Kathmandu', '2026-11-17'],
  // A whole day is skipped, then a change by an hour.
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Apia', '2020-09-27'],
  // Twelve hours and more ahead of UTC.
  ['Pacific/Auckland', '2026-09-27'],
  ['Pacific/Auckland', '2026-04-05'],
  ['Pacific/Chatham', '2026-09-27'],
  ['Pacific/Chatham', '2026-04-05'],
  // Midnight is repeated.
  ['America/Havana', '2026-11-01'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
];

describe.each(changes)('the clock of %s around %s', (timeZone, date) => {
  const around = Date.parse(`${date}T00:00:00Z`);
  const clockAt = (instant: number): number => instant + offsetAt(new Date(instant), timeZone);
  /** Returns the first instant whose clock shows this time or a later one, by testing every five minutes. */
  const firstFrom = (clock: number): number => {
    let instant = clock - 26 * hour;
    while (clockAt(instant) < clock) instant += step;
    return instant;
  };

  it('begins hours and days with the first instant that shows them, or that follows the gap', () => {
    for (let clock = around - 36 * hour; clock <= around + 60 * hour; clock += hour) {
      const local = new Date(clock);
      const day = { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
      const expected = new Date(firstFrom(clock)).toISOString();
      expect([local, startOfHour(day, local.getUTCHours(), timeZone).toISOString()]).toEqual([local, expected]);
      if (local.getUTCHours() === 0) expect(startOfDay(day, timeZone).toISOString()).toBe(expected);
    }
  });

  it('knows the day and the hour of every instant', () => {
    for (let instant = around - 36 * hour; instant <= around + 60 * hour; instant += step) {
      const local = new Date(clockAt(instant));
      expect(dayOf(new Date(instant), timeZone).day).toBe(local.getUTCDate());
      expect(hourOf(new Date(instant), timeZone)).toBe(local.getUTCHours());
    }
  });
});
