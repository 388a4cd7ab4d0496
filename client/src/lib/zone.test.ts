import fc from 'fast-check';
import { instantOf, isKnownZone, wallClockOf, type WallClock } from './zone.js';

const clock = (text: string): WallClock => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[- :]/).map(Number);
  return { year, month, day, hour, minute, second: 0 };
};

it.each([
  ['Asia/Shanghai', '2026-03-08 00:00', '2026-03-07T16:00:00.000Z'],
  ['Asia/Kolkata', '2026-03-08 00:00', '2026-03-07T18:30:00.000Z'],
  ['America/New_York', '2026-01-15 09:30', '2026-01-15T14:30:00.000Z'],
  ['America/New_York', '2026-07-15 09:30', '2026-07-15T13:30:00.000Z'],
  // The clock goes from 02:00 to 03:00.
  ['America/New_York', '2026-03-08 01:59', '2026-03-08T06:59:00.000Z'],
  ['America/New_York', '2026-03-08 02:30', '2026-03-08T07:30:00.000Z'],
  ['America/New_York', '2026-03-08 03:00', '2026-03-08T07:00:00.000Z'],
  // The clock goes from 02:00 back to 01:00.
  ['America/New_York', '2026-11-01 00:59', '2026-11-01T04:59:00.000Z'],
  ['America/New_York', '2026-11-01 01:30', '2026-11-01T05:30:00.000Z'],
  ['America/New_York', '2026-11-01 02:00', '2026-11-01T07:00:00.000Z'],
  // The day begins at 01:00.
  ['Africa/Cairo', '2026-04-24 00:00', '2026-04-23T22:00:00.000Z'],
  // Days and months carry over.
  ['America/New_York', '2026-11-00 00:00', '2026-10-31T04:00:00.000Z'],
  ['America/New_York', '2026-00-01 00:00', '2025-12-01T05:00:00.000Z'],
])('in %s, %s is %s', (zone, local, instant) => {
  expect(instantOf(clock(local), zone).toISOString()).toBe(instant);
});

it('shows the instant again, in every zone and on every day', () => {
  const zones = ['Asia/Shanghai', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe', 'UTC', null];
  fc.assert(
    fc.property(fc.integer({ min: 946_684_800, max: 2_208_988_800 }), fc.constantFrom(...zones), (seconds, zone) => {
      const shown = wallClockOf(new Date(seconds * 1000), zone);
      expect(wallClockOf(instantOf(shown, zone), zone)).toEqual(shown);
    }),
    { numRuns: 1000 },
  );
});

it('has no instant for numbers that are none', () => {
  for (const zone of ['Asia/Shanghai', null]) {
    expect(instantOf({ ...clock('2026-03-08 00:00'), hour: Number.NaN }, zone).getTime()).toBeNaN();
  }
});

it('knows zones, and which are none', () => {
  expect(isKnownZone('America/New_York')).toBe(true);
  expect(isKnownZone('Mars/Olympus')).toBe(false);
});
