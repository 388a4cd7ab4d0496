import { budgetWindowAt, countsModel, type BudgetSchedule } from './budget.js';
import { dateOf } from './clock.js';

const schedule = (given: Partial<BudgetSchedule>): BudgetSchedule => ({
  span: 'day',
  isRolling: false,
  timeZone: 'UTC',
  startsAt: null,
  endsAt: null,
  ...given,
});
const iso = (seconds: number | undefined): string =>
  seconds === undefined ? '' : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
const windowOf = (given: Partial<BudgetSchedule>, now: string): [string, string] => {
  const window = budgetWindowAt(schedule(given), Date.parse(now));
  return [iso(window?.start), iso(window?.end)];
};

describe('calendar windows', () => {
  it.each([
    // Clocks in Berlin go from 2 to 3 o'clock on 2026-03-29: that day has 23 hours.
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-29T22:00:00Z', '2026-03-30T22:00:00Z'],
    // Clocks in Berlin go from 3 to 2 o'clock on 2026-10-25, which has 25 hours.
    ['Europe/Berlin', '2026-10-24T21:59:59Z', '2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z'],
    ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-25T23:00:00Z', '2026-10-26T23:00:00Z'],
    // Clocks in New York change on 2026-03-08 and 2026-11-01.
    ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
    ['America/New_York', '2026-03-09T03:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
    ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
    ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02T05:00:00Z', '2026-11-03T05:00:00Z'],
  ])('a day in %s at %s is %s to %s', (timeZone, now, start, end) => {
    expect(windowOf({ timeZone }, now)).toEqual([start, end]);
  });

  it.each([
    ['2026-03-29T00:30:00Z', '2026-03-28T23:00:00Z', '2026-03-29T03:00:00Z'],
    ['2026-03-29T03:00:00Z', '2026-03-29T03:00:00Z', '2026-03-29T08:00:00Z'],
    ['2026-10-25T01:30:00Z', '2026-10-24T22:00:00Z', '2026-10-25T04:00:00Z'],
    ['2026-10-25T20:00:00Z', '2026-10-25T19:00:00Z', '2026-10-25T23:00:00Z'],
  ])('five hours in Berlin at %s are %s to %s, by the clock', (now, start, end) => {
    expect(windowOf({ span: '5h', timeZone: 'Europe/Berlin' }, now)).toEqual([start, end]);
  });

  it('weeks begin on Monday and months on the first', () => {
    const timeZone = 'Asia/Shanghai';
    expect(windowOf({ span: 'week', timeZone }, '2026-11-22T15:59:59Z')).toEqual([
      '2026-11-15T16:00:00Z',
      '2026-11-22T16:00:00Z',
    ]);
    expect(windowOf({ span: 'week', timeZone }, '2026-11-22T16:00:00Z')[0]).toBe('2026-11-22T16:00:00Z');
    expect(windowOf({ span: 'month', timeZone }, '2026-12-31T15:59:59Z')).toEqual([
      '2026-11-30T16:00:00Z',
      '2026-12-31T16:00:00Z',
    ]);
  });

  it('every moment of a year lies in its window, and windows follow each other without a gap', () => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'America/Havana', 'Australia/Lord_Howe']) {
      for (const span of ['5h', 'day', 'week', 'month'] as const) {
        let now = Date.parse('2026-01-01T00:00:00Z');
        const last = Date.parse('2027-01-01T00:00:00Z');
        let before: number | undefined;
        while (now < last) {
          const { start, end } = budgetWindowAt(schedule({ span, timeZone }), now)!;
          expect(start * 1000).toBeLessThanOrEqual(now);
          expect(end * 1000).toBeGreaterThan(now);
          if (before !== undefined) expect(start).toBe(before);
          expect(budgetWindowAt(schedule({ span, timeZone }), end * 1000 - 1)!.start).toBe(start);
          before = end;
          now = end * 1000;
        }
      }
    }
  });
});

it('a rolling window has buckets of a sixtieth, and counts each until all of it has left', () => {
  const now = Date.parse('2026-11-22T12:07:00Z');
  const window = budgetWindowAt(schedule({ span: '5h', isRolling: true, timeZone: 'Asia/Tokyo' }), now)!;
  expect([iso(window.start), iso(window.from), iso(window.end)]).toEqual([
    '2026-11-22T12:05:00Z',
    '2026-11-22T07:05:00Z',
    '2026-11-22T12:10:00Z',
  ]);
  expect(window.lifetime).toBe(5 * 3600 + 300);
});

it('a fixed range counts from its start until its end', () => {
  const [startsAt, endsAt] = [dateOf(1000), dateOf(2000)];
  const at = (second: number) => budgetWindowAt(schedule({ span: 'fixed', startsAt, endsAt }), second * 1000);
  expect([at(999), at(2000)]).toEqual([null, null]);
  expect(at(1000)).toEqual({ start: 1000, from: 1000, end: 2000, lifetime: null });
  expect(at(1999)?.end).toBe(2000);
});

it.each([
  [[], 'gpt-4o', true],
  [['gpt-4o'], 'gpt-4o', true],
  [['gpt-4o'], 'gpt-4o-mini', false],
  [['claude-*'], 'claude-sonnet-4', true],
  [['claude-*'], 'gpt-4o', false],
  [['*-mini', 'o3'], 'gpt-4o-mini', true],
  [['gpt-*-mini*'], 'gpt-4o-mini-2024', true],
  [['a*a'], 'a', false],
  [['a*b*b'], 'ab', false],
  [['*'], '', true],
])('models %j count %s: %s', (models, model, expected) => {
  expect(countsModel(models, model)).toBe(expected);
});
