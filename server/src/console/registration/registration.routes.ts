import { z } from 'zod';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { assertNotForeignPage } from '../../platform/http/authenticate.js';
import { parameter } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { challengeOf } from '../../platform/http/visitor.js';
import type { PasswordResetService } from './password-reset.service.js';
import type { RegistrationService } from './registration.service.js';
import { registerBody, resetBody } from './registration.wire.js';

const route = routesFor<{
  readonly registrationService: RegistrationService;
  readonly passwordResetService: PasswordResetService;
}>();
const turnstile = { turnstile: parameter.words('Response of the bot check, where the site has one') };
const email = { email: parameter.required('Address') };

/** Registration, e-mail codes and password reset (docs/reference/rest/accounts.md#sign-in-and-registration). */
export const registrationRoutes = [
  route('POST /api/user/register', {
    summary: 'Register',
    caller: 'open',
    bodyLimit: anonymousBodyLimit,
    query: turnstile,
    body: registerBody,
    errors: ['CONFLICT', 'INSUFFICIENT_PRIVILEGES'],
    example: { body: { username: 'lovelace', password: 'analytical' } },
    before: ({ registrationService }, { query, request, reply }) => {
      assertNotForeignPage(request);
      return registrationService.admit(challengeOf(request, reply, query.turnstile));
    },
    handle: async ({ registrationService }, { body }) => {
      await registrationService.register(body);
    },
  }),
  route('GET /api/verification', {
    summary: 'Send a code to an address',
    caller: 'open',
    withoutHead: true,
    query: { ...email, ...turnstile },
    errors: ['INVALID_INPUT', 'CONFLICT'],
    example: { query: { email: 'not an address' }, fails: 'INVALID_INPUT' },
    handle: ({ registrationService }, { query, request, reply }) =>
      registrationService.sendCode(query.email, challengeOf(request, reply, query.turnstile)),
  }),
  route('GET /api/reset_password', {
    summary: 'Send a link that sets a new password',
    description: 'The response is the same whether or not an account has the address.',
    caller: 'open',
    withoutHead: true,
    query: { ...email, ...turnstile },
    errors: ['INVALID_INPUT'],
    example: { query: { email: 'not an address' }, fails: 'INVALID_INPUT' },
    handle: ({ passwordResetService }, { query, request, reply }) =>
      passwordResetService.request(query.email, challengeOf(request, reply, query.turnstile)),
  }),
  route('POST /api/user/reset', {
    summary: 'Set a new password with the token of the mail',
    caller: 'open',
    bodyLimit: anonymousBodyLimit,
    body: resetBody,
    data: z.string().describe('The new password'),
    example: { body: { email: 'ada@example.com', token: 'wrong' }, fails: 'INVALID_INPUT' },
    handle: ({ passwordResetService }, { body, request }) =>
      passwordResetService.reset(body.email, body.token, request.ip),
  }),
];
