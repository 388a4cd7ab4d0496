import { fromLocalTime, isLocalTime } from './localTime.js';

it.each(['2026-02-30T10:00', '2026-02-29T10:00', '2026-04-31T00:00', '2026-00-10T00:00', '2026-01-01T24:01'])(
  'refuses %s, which does not exist',
  (text) => {
    expect(isLocalTime(text)).toBe(false);
    expect(fromLocalTime(text).getTime()).toBeNaN();
  },
);

it.each(['2028-02-29T10:00', '2026-12-31T23:59', '2026-03-29T02:30'])('takes %s', (text) => {
  expect(isLocalTime(text)).toBe(true);
});
