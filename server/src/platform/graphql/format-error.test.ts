import { GraphQLError } from 'graphql';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { formatErrors } from './format-error.js';

const reported: unknown[] = [];
const format = formatErrors((error) => reported.push(error));
beforeEach(() => reported.splice(0));

const thrownBy = (original: Error) => {
  const error = new GraphQLError(original.message, { originalError: original, path: ['me'] });
  return format({ message: error.message, path: ['me'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }, error);
};

it('shows what was foreseen with its code and field', () => {
  expect(thrownBy(new InvalidInputError('too long', 'name'))).toEqual({
    message: 'too long',
    path: ['me'],
    extensions: { code: 'INVALID_INPUT', field: 'name' },
  });
  expect(thrownBy(new AppError('RATE_LIMITED', 'slow down', { retryAfterSeconds: 9 })).extensions).toEqual({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 9,
  });
  expect(reported).toEqual([]);
});

it.each([new Error('password is hunter2'), new AppError('INTERNAL_ERROR', 'password is hunter2')])(
  'hides what nobody foresaw, and reports it',
  (error) => {
    const shown = thrownBy(error);
    expect(shown).toEqual({ message: 'Internal error', path: ['me'], extensions: { code: 'INTERNAL_ERROR' } });
    expect(reported).toEqual([error]);
  },
);

it('tells that the database is away without its words', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' });
  const shown = thrownBy(away);
  expect(shown.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
  expect(shown.message).not.toContain('10.0.0.5');
  expect(reported).toEqual([away]);
});

it('leaves out what libraries put beside the code', () => {
  const extensions = {
    code: 'BAD_USER_INPUT',
    stacktrace: ['at secret.ts'],
    validationErrors: [{ target: { password: 'hunter2' }, value: 'hunter2' }],
  };
  const shown = format({ message: 'Argument Validation Error', extensions }, new GraphQLError('x'));
  expect(shown).toEqual({ message: 'Argument Validation Error', extensions: { code: 'BAD_USER_INPUT' } });
});

it.each([
  [
    'Variable "$input" got invalid value { username: "a", password: "hunter2" }; Field "x" is not defined by type "LoginInput".',
    'Variable "$input" got invalid value; Field "x" is not defined by type "LoginInput".',
  ],
  [
    'Variable "$input" got invalid value "hunter2; at" at "input.id"; Int cannot represent non-integer value: "hunter2"',
    'Variable "$input" got invalid value at "input.id"; Int cannot represent non-integer value',
  ],
  ['Int cannot represent non-integer value: "hunter2"', 'Int cannot represent non-integer value'],
  [
    'Cannot query field "nme" on type "User". Did you mean "name"?',
    'Cannot query field "nme" on type "User". Did you mean "name"?',
  ],
])('takes the value out of %j', (message, expected) => {
  const shown = format({ message, extensions: { code: 'BAD_USER_INPUT' } }, new GraphQLError(message));
  expect(shown.message).toBe(expected);
  expect(shown.message).not.toContain('hunter2');
});
