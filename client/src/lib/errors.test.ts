import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { changeLanguage, loadAllTexts, startI18n } from '../i18n/i18n.js';
import i18next from 'i18next';
import { describeFailure } from './errors.js';

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

it('shows the message of a GraphQL error as it is, except of internal ones', () => {
  const failed = (code: string) =>
    describeFailure(
      new CombinedGraphQLErrors({ errors: [{ message: 'Name is taken', extensions: { code } }] }),
      i18next.t,
    );
  expect(failed('CONFLICT')).toBe('Name is taken');
  expect(failed('INTERNAL_ERROR')).toBe('Internal server error, contact admin');
});
