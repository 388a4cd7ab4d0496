import { growth } from '../../../../tests/support/growth.js';
import { AppError, errorCodes, UnavailableError } from '../../shared/errors.js';
import { UpstreamError } from './upstream-error.js';
import { toCallFailure } from './failure.js';
import { openAIErrorBody } from '../languages/openai/error.js';
import { maskSecrets } from './mask-secrets.js';
import { toUpstreamError } from './read-upstream-error.js';

it.each(errorCodes)('%s has a status and a code', (code) => {
  const failure = toCallFailure(new AppError(code, 'text'));
  expect(failure.status).toBeGreaterThanOrEqual(400);
  expect(failure.type).toBe('veloera_error');
  const shown = JSON.parse(openAIErrorBody(failure, 'id-1')) as { error: object };
  expect(Object.keys(shown.error)).toEqual(['message', 'type', 'param', 'code']);
});

it('says nothing of what it did not foresee', () => {
  expect(toCallFailure(new Error('SELECT secret FROM x'))).toMatchObject({ status: 500, message: 'Internal error' });
  expect(toCallFailure(new AppError('INTERNAL_ERROR', 'secret')).message).toBe('Internal error');
});

it('tells when to come back', () => {
  expect(toCallFailure(new UnavailableError('away'))).toMatchObject({ status: 503, retryAfter: '5' });
});

it('hides what the upstream said where the admin wants that, but never a 429', () => {
  const error = new UpstreamError(400, { message: 'a', type: 'b', code: 'c', param: 'd' });
  expect(toCallFailure(error, { status: 418, hidden: true })).toEqual({
    status: 418,
    message: 'Upstream error with status code 418',
    type: 'upstream_error',
    param: '',
    code: 'bad_response_status_code',
  });
  expect(toCallFailure(error, { status: 429, hidden: true })).toMatchObject({
    message: 'The upstream of this group is saturated, try again later',
    type: 'b',
    code: 'c',
  });
});

it.each([
  [
    'Incorrect API key provided: sk-proj-abc123DEF456. Find it at https://platform.openai.com/account.',
    'Incorrect API key provided: [key] Find it at [address]',
  ],
  ['dial tcp 10.0.0.7:8080: connection refused', 'dial tcp [address]: connection refused'],
  ['Post "http://internal.host:9/v1/x?key=1": EOF', 'Post "[address]": EOF'],
  ['organization org-AbCdEf123456 must be verified', 'organization [key] must be verified'],
  ['Authorization: Bearer abc.def was refused', 'Authorization: Bearer [key] was refused'],
  ['could not reach api.example.com from localhost:3000', 'could not reach [address] from [address]'],
  [
    'Please post a shorter prompt: max_tokens 4096, temperature 0.5, model gpt-4o-mini-2024-07-18',
    'Please post a shorter prompt: max_tokens 4096, temperature 0.5, model gpt-4o-mini-2024-07-18',
  ],
])('masks %s', (message, masked) => {
  expect(maskSecrets(message)).toBe(masked);
});

it('masks a message in time in proportion to its length', async () => {
  const mask = (times: number): void => {
    for (const piece of ['a.', 'sk-', 'http://', '1.', 'a:', 'Bearer ']) maskSecrets(piece.repeat(times));
  };
  expect(await growth(mask, 50_000, 200_000)).toBeLessThan(10);
});

it.each([
  [{ error: { message: 'm', type: 't', param: 'p', code: 5 } }, { message: 'm', type: 't', param: 'p', code: 5 }],
  [{ error: { message: 'm', code: null } }, { message: 'm', type: 'upstream_error', param: null, code: null }],
  [{ error: 'text' }, { message: 'text' }],
  [[{ error: { message: 'in a list' } }], { message: 'in a list' }],
  [{ detail: 'why' }, { message: 'why' }],
  [{ detail: [{ msg: 'first' }] }, { message: 'first' }],
  [{ detail: [{ loc: ['body', 'n'], msg: 'first' }, { msg: 'second' }] }, { message: 'n: first\nsecond' }],
  // Mistral: mistral-go#2 (April 2024), php-mistral#76 (November 2025).
  [
    { object: 'error', message: { detail: [{ loc: ['body', 'messages', 0, 'user', 'name'], msg: 'why' }] } },
    { message: 'messages.0.user.name: why' },
  ],
  [{ object: 'Error', message: [{ loc: ['body', 'tools'], msg: 'why' }], code: 3001 }, { message: 'tools: why' }],
  // OpenRouter: MassGen#665 (December 2025).
  [
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: '{"error":{"message":"its own"}}' } } },
    { message: 'its own', code: 400 },
  ],
  [
    { error: { message: 'Provider returned error', metadata: { raw: 'busy' } } },
    { message: 'Provider returned error' },
  ],
  [{ errors: [{ message: 'cloud' }] }, { message: 'cloud' }],
  [{ message: 'flat' }, { message: 'flat' }],
  [{ error_msg: 'old' }, { message: 'old' }],
  [{ header: { message: 'head' } }, { message: 'head' }],
  [{ response: { error: { message: 'deep' } } }, { message: 'deep' }],
  [{ nothing: 1 }, { message: 'bad response status code 418', code: 'bad_response_status_code', param: '418' }],
  ['<html>', { message: 'bad response status code 418' }],
])('reads %j', (body, detail) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expect(toUpstreamError(418, text).detail).toMatchObject({ type: 'upstream_error', ...detail });
});
