import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { assertFromOwnPage, assertNotForeignPage, sessionCookie } from '../../platform/http/authenticate.js';
import { parameter } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { clearSessionCookie, originOf, setSignInCookies } from '../../platform/http/session-cookie.js';
import { challengeOf } from '../../platform/http/visitor.js';
import type { AuthService } from './auth.service.js';
import { loginBody, signInAnswer, userShape } from '../users/user.wire.js';

const route = routesFor<AuthService>();

/** `/api/user/login` and `/api/user/logout` (docs/reference/rest/accounts.md#sign-in-and-registration). */
export const signInRoutes = [
  route('POST /api/user/login', {
    summary: 'Sign in with a password',
    caller: 'open',
    bodyLimit: anonymousBodyLimit,
    query: { turnstile: parameter.words('Response of the bot check, where the site has one') },
    body: loginBody,
    data: userShape,
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_NEEDED'],
    example: { body: { username: 'nobody', password: 'nothing at all' }, fails: 'INVALID_CREDENTIALS' },
    before: (_, { request }) => assertNotForeignPage(request),
    handle: async (authService, { body, query, request, reply }) => {
      const challenge = challengeOf(request, reply, query.turnstile);
      const signIn = await authService.login(body, originOf(request), challenge);
      setSignInCookies(request, reply, signIn);
      return signInAnswer(signIn, request);
    },
  }),
  route('GET /api/user/logout', {
    summary: 'Sign out',
    description: 'Succeeds without a session, too.',
    caller: 'open',
    withoutHead: true,
    example: {},
    handle: async (authService, { request, reply }) => {
      if (request.cookies[sessionCookie]) assertFromOwnPage(request);
      await authService.logout(request.cookies[sessionCookie]);
      clearSessionCookie(reply);
    },
  }),
];
