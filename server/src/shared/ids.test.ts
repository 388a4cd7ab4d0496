import { newRequestId, randomAlphanumeric } from './ids.js';

it('has as many letters and digits as asked for', () => {
  expect(randomAlphanumeric(48)).toMatch(/^[0-9A-Za-z]{48}$/);
});

it('begins the id of a request with its time, and never repeats one', () => {
  const before = Date.now();
  const ids = Array.from({ length: 2000 }, newRequestId);
  const after = Date.now();
  for (const id of ids) {
    const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})\d{6}[0-9A-Za-z]{8}$/.exec(id) ?? [];
    const [year = 0, month = 0, ...rest] = parts.map(Number);
    const at = Date.UTC(year, month - 1, ...rest);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(after);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

it('uses every letter and digit in ids', () => {
  const ends = Array.from({ length: 2000 }, () => newRequestId().slice(-8)).join('');
  expect(new Set(ends).size).toBe(62);
});
