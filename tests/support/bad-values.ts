import { isFullSuite, isQuickSuite } from './suite.js';

const everyValue: ReadonlyArray<readonly [what: string, value: unknown]> = [
  ['null', null],
  ['true', true],
  ['a list', ['x']],
  ['an object', { x: 1 }],
  ['a text', 'x'],
  ['zero', 0],
  ['negative', -1],
  ['a fraction', 0.5],
  ['huge', 1e308],
  ['beyond 64 bits', 2 ** 64],
  ['beyond 53 bits', 2 ** 53],
  ['beyond 32 bits', 2 ** 31],
  ['empty', ''],
  ['blank', '  \t '],
  ['too long', 'x'.repeat(5000)],
  ['NUL', 'a\0b'],
  ['half a surrogate', 'a\ud800b'],
  ['direction marks', '\u202eabc\u2066'],
  ['combined', 'e\u0301👩‍👩‍👧‍👦ﷺ'],
  ['many bytes', '\u{1f600}'.repeat(300)],
  ['a new line', 'a\r\nb: c'],
  ['SQL', `'; DROP TABLE users; --`],
  ['LIKE', '%_%\\'],
  ['a number in text', '-1'],
  ['NaN', 'NaN'],
  ['prototype', '__proto__'],
  ['a template', '${7*7}{{7*7}}'],
  ['a date beyond time', '275760-09-13T00:00:00.001Z'],
];

/** A full suite tries every value on every field. */
const share = isFullSuite ? 1 : isQuickSuite ? 10 : 8;
type BadValues = typeof everyValue;

/**
 * Returns invalid values for a field of a body or an argument: wrong types, too long, empty, negative, huge, and text
 * that breaks careless code. A full suite tries all of them on every field. Other suites try an eighth or a tenth, and
 * the next field gets the next part, so that every field and every value is tried.
 * @param ordinal the number of the field in its test
 * @param fitting the values that are possible for this field; of few, at least two are tried
 */
export function badValuesFor(ordinal: number, fitting: BadValues = everyValue): BadValues {
  const step = Math.min(share, Math.max(1, Math.floor(fitting.length / 2)));
  return fitting.filter((_, index) => index % step === ordinal % step);
}

/** All invalid values. */
export const badValues = everyValue;

/** Words that only Postgres, TypeORM, a parser or a stack trace would use. */
const words =
  /relation "|column "|syntax error|duplicate key|violates|constraint|QueryFailed|invalid byte|out of range for|at \/|node_modules|ECONN|typeorm|pg_|stack/i;

/** Secrets and ids are random, so any of them may contain a short word. */
const randomText = /[\w-]{40,}/g;

/** Whether a response shows texts of the server's own parts. */
export const leaks = (text: string): boolean => words.test(text.replace(randomText, ''));

/** Everything that a refused request might have stored partially, as one comparable text. */
export const savedState = `SELECT concat_ws('|',
  (SELECT md5(string_agg(concat_ws('~', id, username, password_hash, display_name, role, status, email, quota, "group",
    setting, aff_code, aff_quota, github_id, oidc_id, wechat_id, telegram_id, deleted_at), '|' ORDER BY id)) FROM users),
  (SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM options t),
  (SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM tokens t),
  (SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM channels t),
  (SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM redemptions t),
  (SELECT count(*) FROM ledger_entries), (SELECT count(*) FROM audit_entries), (SELECT count(*) FROM sessions),
  (SELECT count(*) FROM logs)) AS state`;
