import { randomAlphanumeric } from './ids.js';

it('has as many letters and digits as asked for', () => {
  expect(randomAlphanumeric(48)).toMatch(/^[0-9A-Za-z]{48}$/);
});
