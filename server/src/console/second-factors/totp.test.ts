import { Secret } from 'otpauth';
import { newAuthenticator, stepOfCode } from './totp.js';

/** The key of RFC 6238, appendix B, and its SHA-1 codes: the last six of their eight digits. */
const key = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer }).base32;
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

it.each(vectors)('accepts the code of RFC 6238 at second %i', (seconds, code) => {
  expect(stepOfCode(key, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

it('accepts the step before and after, and names the step of the code', () => {
  const [seconds, code] = vectors[3];
  const step = Math.floor(seconds / 30);
  expect(stepOfCode(key, code, (seconds + 30) * 1000)).toBe(step);
  expect(stepOfCode(key, code, (seconds - 30) * 1000)).toBe(step);
  expect(stepOfCode(key, code, (seconds + 90) * 1000)).toBeNull();
  expect(stepOfCode(key, code, (seconds - 90) * 1000)).toBeNull();
});

it.each(['', '00592', '0059244', 'abcdef', '００５９２４', '-05924'])('refuses %j', (code) => {
  expect(stepOfCode(key, code, vectors[3][0] * 1000)).toBeNull();
});

it('accepts a code with a space, as apps show it', () => {
  expect(stepOfCode(key, '005 924', vectors[3][0] * 1000)).not.toBeNull();
});

it('makes secrets of 160 bits, with the account and the site in the link', () => {
  const { secret, uri } = newAuthenticator('anna', 'My Gate');
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const link = new URL(uri);
  expect([link.protocol, link.host, decodeURIComponent(link.pathname)]).toEqual(['otpauth:', 'totp', '/My Gate:anna']);
  expect(Object.fromEntries(link.searchParams)).toMatchObject({ secret, issuer: 'My Gate', digits: '6', period: '30' });
  expect(newAuthenticator('anna', 'My Gate').secret).not.toBe(secret);
});
