import { deepSeekHours } from './hours.js';

const own = 'https://api.deepseek.com';

// 2026-11-23 is a Monday.
it.each([
  ['2026-11-23T00:59:59Z', 'off_peak'],
  ['2026-11-23T01:00:00Z', undefined],
  ['2026-11-23T03:59:59Z', undefined],
  ['2026-11-23T04:00:00Z', 'off_peak'],
  ['2026-11-23T06:00:00Z', undefined],
  ['2026-11-27T09:59:59Z', undefined],
  ['2026-11-27T10:00:00Z', 'off_peak'],
  ['2026-11-28T02:00:00Z', 'off_peak'],
  ['2026-11-29T08:00:00Z', 'off_peak'],
])('DeepSeek serves a call at %s in the hours %s', (time, hours) => {
  expect(deepSeekHours(Date.parse(time), own)?.hours).toBe(hours);
});

it.each([
  ['https://api.deepseek.com/v1', 'off_peak'],
  ['https://api.deepseek.com.example.org', undefined],
  ['https://reseller.example/deepseek', undefined],
  ['api', undefined],
])('of the address %s it knows the hours %s', (address, hours) => {
  expect(deepSeekHours(Date.parse('2026-11-28T02:00:00Z'), address)?.hours).toBe(hours);
});
