import { z } from 'zod';
import { parameter, type ApiOperations } from '../../platform/http/openapi/operation.js';
import { registerBody, resetBody } from './registration.wire.js';

const turnstile = { turnstile: parameter.words('Response of the bot check, where the site has one') };
const email = { email: parameter.required('Address') };

/** Registration, codes by mail, and new passwords. */
export const registrationOperations: ApiOperations = {
  'POST /api/user/register': {
    summary: 'Register',
    role: 'anonymous',
    query: turnstile,
    body: registerBody,
    errors: ['CONFLICT', 'INSUFFICIENT_PRIVILEGES'],
    example: { body: { username: 'lovelace', password: 'analytical' } },
  },
  'GET /api/verification': {
    summary: 'Send a code to an address',
    role: 'anonymous',
    query: { ...email, ...turnstile },
    errors: ['INVALID_INPUT', 'CONFLICT'],
    example: { query: { email: 'not an address' }, fails: 'INVALID_INPUT' },
  },
  'GET /api/reset_password': {
    summary: 'Send a link that sets a new password',
    description: 'The response is the same whether or not an account has the address.',
    role: 'anonymous',
    query: { ...email, ...turnstile },
    errors: ['INVALID_INPUT'],
    example: { query: { email: 'not an address' }, fails: 'INVALID_INPUT' },
  },
  'POST /api/user/reset': {
    summary: 'Set a new password with the token of the mail',
    role: 'anonymous',
    body: resetBody,
    data: z.string().describe('The new password'),
    example: { body: { email: 'ada@example.com', token: 'wrong' }, fails: 'INVALID_INPUT' },
  },
};
