import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeLanguage, loadAllTexts, startI18n } from '../i18n/i18n.js';
import { languages } from '../i18n/languages.js';
import i18next from 'i18next';
import { describeFailure, toFailure } from './errors.js';

beforeAll(async () => {
  await startI18n();
  await changeLanguage('en', false);
  await loadAllTexts();
});

const refused = (status: number, body: unknown) =>
  new ServerError('refused', {
    response: { status, headers: new Headers() } as Response,
    bodyText: typeof body === 'string' ? body : JSON.stringify(body),
  });

it.each([
  [413, { message: 'The body is too large' }, 'Error: The body is too large'],
  [403, { error: { message: 'Not from this origin' } }, 'Error: Not from this origin'],
  [403, { success: false, error: 'Not from this origin' }, 'Error: Not from this origin'],
  [400, { errors: [{ message: 'The query has a depth of 19' }] }, 'Error: The query has a depth of 19'],
  [404, '<html>nginx</html>', 'Server error: 404'],
  [404, 'null', 'Server error: 404'],
  [418, { errors: [] }, 'Server error: 418'],
  [405, { message: 'Nothing is changed here' }, 'This site is for demo only, no server'],
  [429, { message: 'slow down' }, 'Too many requests, try later'],
  [503, { message: 'connect ECONNREFUSED 10.0.0.1' }, 'Internal server error, contact admin'],
])('shows for HTTP %d with %j: %s', (status, body, text) => {
  expect(describeFailure(refused(status, body), i18next.t)).toBe(text);
});

/** The codes of the server, as its schema has them, and those that Apollo gives to invalid documents. */
const serverCodes = [
  ...(
    /enum ErrorCode \{([\s\S]*?)\n\}/.exec(
      readFileSync(join(__dirname, '../../../schema/schema.graphql'), 'utf8'),
    )?.[1] ?? ''
  )
    .replace(/"""[\s\S]*?"""/g, '')
    .matchAll(/[A-Z_]+/g),
].map(([code]) => code);

describe.each(languages)('refusals in %s', (language) => {
  beforeAll(() => changeLanguage(language, false));
  afterAll(() => changeLanguage('en', false));
  const shown = (code: string, message: string) =>
    describeFailure(new CombinedGraphQLErrors({ errors: [{ message, extensions: { code } }] }), i18next.t);

  it('have a sentence for every stable code, which keeps what the message says beyond it', () => {
    expect(serverCodes.length).toBeGreaterThan(45);
    // A code without a sentence of its own is shown as a defect of the server.
    const internal = shown('INTERNAL_ERROR', '');
    expect(serverCodes.filter((code) => code !== 'INTERNAL_ERROR' && shown(code, '') === internal)).toEqual([]);
    const said = serverCodes.filter((code) => !/^(RATE_LIMITED|SERVICE_UNAVAILABLE|INTERNAL_ERROR)$/.test(code));
    for (const code of said) {
      const expected = language === 'en' ? ['Row 7'] : ['Row 7', shown(code, '')];
      expect(expected.filter((part) => !shown(code, 'Row 7').includes(part))).toEqual([]);
    }
  });
});

it('shows the message of a GraphQL error as it is, except of internal ones', () => {
  const failed = (code: string) =>
    describeFailure(
      new CombinedGraphQLErrors({ errors: [{ message: 'Name is taken', extensions: { code } }] }),
      i18next.t,
    );
  expect(failed('CONFLICT')).toBe('Name is taken');
  expect(failed('INTERNAL_ERROR')).toBe('Internal server error, contact admin');
});

it.each([
  ['INSUFFICIENT_PRIVILEGES', 'No permission: insufficient privileges', '没有执行此操作的权限'],
  ['INSUFFICIENT_PRIVILEGES', 'Cannot delete the super admin', '没有执行此操作的权限（Cannot delete the super admin）'],
  [
    'INSUFFICIENT_PRIVILEGES',
    'No permission: own usage has no costs',
    '没有执行此操作的权限（own usage has no costs）',
  ],
  [
    'QUERY_TOO_EXPENSIVE',
    'This operation costs 12, more than 10',
    '查询开销过大（This operation costs 12, more than 10）',
  ],
  ['GRAPHQL_VALIDATION_FAILED', 'Query depth is 11', '查询与架构不符，或超出限制（Query depth is 11）'],
  ['BAD_USER_INPUT', 'Variable "$zone" got invalid value', '变量与架构不符（Variable "$zone" got invalid value）'],
  ['SERVICE_UNAVAILABLE', 'The database is unavailable. Try again shortly.', '服务器暂时不可用，请稍后再试'],
  ['RATE_LIMITED', 'Too many requests', '请求过于频繁，请稍后再试'],
])(
  'describes %s (%s) in the language of the reader, as a result and as a refused request',
  async (code, message, text) => {
    await changeLanguage('zh', false);
    const errors = [{ message, extensions: { code } }];
    expect(describeFailure(new CombinedGraphQLErrors({ errors }), i18next.t)).toBe(text);
    expect(describeFailure(refused(400, { errors }), i18next.t)).toBe(text);
    await changeLanguage('en', false);
  },
);

it('finds code and field in the body of a refused request, of GraphQL and of REST', () => {
  const extensions = { code: 'INVALID_INPUT', field: 'filter.models' };
  const found = { code: 'INVALID_INPUT', field: 'filter.models', message: 'too many', status: 400 };
  expect(toFailure(refused(400, { errors: [{ message: 'too many', extensions }] }))).toEqual(found);
  expect(toFailure(refused(400, { success: false, message: 'too many', ...extensions }))).toEqual(found);
  expect(toFailure(refused(404, 'no JSON'))).toMatchObject({ code: 'HTTP', field: null });
});
