import { signInAs } from '../testing/signInAs.js';
import { fromLocalTime, toLocalTime } from './localTime.js';
import { chosenZone, reader, readerZone } from './reader.js';
import { session } from './session.js';
import { presetNames, timePresets } from './timePresets.js';
import { startOfToday } from './timeRange.js';
import { browserZone } from './zone.js';

const none = { currency: null, timeZone: null };

beforeEach(() => signInAs());
afterEach(() => {
  reader.set(none);
  jest.useRealTimers();
});

const choose = (timeZone: string | null): void => reader.set({ currency: null, timeZone });

it('is the zone of the browser until another is chosen', () => {
  expect([chosenZone(), readerZone()]).toEqual([null, browserZone()]);
  choose('America/New_York');
  expect([chosenZone(), readerZone()]).toEqual(['America/New_York', 'America/New_York']);
});

it('belongs to one user, and stays in the browser for the next visit', () => {
  reader.set({ currency: 'LOCAL', timeZone: 'Asia/Shanghai' });
  expect(JSON.parse(localStorage.getItem('reader') ?? '')).toEqual({
    userId: 3,
    currency: 'LOCAL',
    timeZone: 'Asia/Shanghai',
  });
  const user = session.get();
  session.end();
  expect(reader.get()).toEqual(none);
  reader.set({ currency: 'USD', timeZone: null });
  expect(reader.get()).toEqual(none);
  session.start({ ...user, id: 4, username: 'ada', displayName: '', role: 1, status: 1, group: 'default' });
  expect(reader.get()).toEqual(none);
  signInAs();
  expect(reader.get()).toMatchObject({ currency: 'LOCAL', timeZone: 'Asia/Shanghai' });
});

it('follows a choice in another tab, and leaves out a zone that this browser does not know', () => {
  const stored = { userId: 3, currency: 'LOCAL', timeZone: 'Mars/Olympus' };
  localStorage.setItem('reader', JSON.stringify(stored));
  dispatchEvent(new StorageEvent('storage', { key: 'reader' }));
  expect(reader.get()).toMatchObject({ currency: 'LOCAL', timeZone: null });
  for (const text of ['5', 'null', '{"userId":"3"}', '{']) {
    localStorage.setItem('reader', text);
    dispatchEvent(new StorageEvent('storage', { key: 'reader' }));
    expect(reader.get()).toEqual(none);
  }
  choose('Mars/Olympus');
  expect(chosenZone()).toBeNull();
});

/** Each row by hand: New York is at -5 in winter and at -4 from 2026-03-08 to 2026-11-01; Shanghai is at +8. */
it.each([
  // The day of the change in spring has 23 hours.
  ['America/New_York', '2026-03-09T15:00:00Z', 'yesterday', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
  ['America/New_York', '2026-03-09T15:00:00Z', 'today', '2026-03-09T04:00:00.000Z', null],
  ['America/New_York', '2026-03-09T15:00:00Z', 'last7Days', '2026-03-03T05:00:00.000Z', null],
  ['America/New_York', '2026-03-09T15:00:00Z', 'thisMonth', '2026-03-01T05:00:00.000Z', null],
  ['America/New_York', '2026-04-02T15:00:00Z', 'lastMonth', '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'],
  // The day of the change in autumn has 25 hours.
  ['America/New_York', '2026-11-02T15:00:00Z', 'yesterday', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ['America/New_York', '2026-11-02T15:00:00Z', 'thisMonth', '2026-11-01T04:00:00.000Z', null],
  ['America/New_York', '2026-12-01T15:00:00Z', 'lastMonth', '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z'],
  ['America/New_York', '2026-11-02T15:00:00Z', 'last30Days', '2026-10-04T04:00:00.000Z', null],
  // One instant, two days and two months.
  ['America/New_York', '2026-11-01T02:00:00Z', 'today', '2026-10-31T04:00:00.000Z', null],
  ['America/New_York', '2026-11-01T02:00:00Z', 'thisMonth', '2026-10-01T04:00:00.000Z', null],
  ['Asia/Shanghai', '2026-11-01T02:00:00Z', 'today', '2026-10-31T16:00:00.000Z', null],
  ['Asia/Shanghai', '2026-11-01T02:00:00Z', 'yesterday', '2026-10-30T16:00:00.000Z', '2026-10-31T16:00:00.000Z'],
  ['Asia/Shanghai', '2026-11-01T02:00:00Z', 'thisMonth', '2026-10-31T16:00:00.000Z', null],
  ['Asia/Shanghai', '2026-11-01T02:00:00Z', 'lastMonth', '2026-09-30T16:00:00.000Z', '2026-10-31T16:00:00.000Z'],
  ['Asia/Shanghai', '2026-11-01T02:00:00Z', 'lastHour', '2026-11-01T01:00:00.000Z', null],
] as const)('in %s at %s, %s is from %s to %s', (zone, now, name, from, to) => {
  choose(zone);
  const range = timePresets[name](new Date(now));
  expect([range.from.toISOString(), range.to && range.to.toISOString()]).toEqual([from, to]);
});

it('has such a row for each preset', () => {
  expect(presetNames).toEqual(['lastHour', 'today', 'yesterday', 'last7Days', 'last30Days', 'thisMonth', 'lastMonth']);
});

it('starts lists of today at its midnight', () => {
  jest.useFakeTimers({ now: new Date('2026-03-09T03:30:00Z') });
  choose('America/New_York');
  expect(startOfToday().toISOString()).toBe('2026-03-08T05:00:00.000Z');
  choose('Asia/Shanghai');
  expect(startOfToday().toISOString()).toBe('2026-03-08T16:00:00.000Z');
});

it('reads typed times there, and writes them so', () => {
  choose('America/New_York');
  expect(fromLocalTime('2026-03-08T02:30').toISOString()).toBe('2026-03-08T07:30:00.000Z');
  expect(toLocalTime('2026-03-08T07:30:00Z')).toBe('2026-03-08T03:30');
  expect(fromLocalTime('2026-11-02T00:00').toISOString()).toBe('2026-11-02T05:00:00.000Z');
  expect(fromLocalTime('2026-11').getTime()).toBeNaN();
  choose('Asia/Shanghai');
  expect(fromLocalTime('2026-11-02T00:00').toISOString()).toBe('2026-11-01T16:00:00.000Z');
});
