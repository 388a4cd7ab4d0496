import type { FastifyPluginAsync } from 'fastify';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { assertFromOwnPage, assertNotForeignPage, sessionCookie } from '../../platform/http/authenticate.js';
import { withoutHead, type RestHandlers } from '../../platform/http/rest.js';
import { clearSessionCookie, originOf, setSignInCookies } from '../../platform/http/session-cookie.js';
import { challengeOf } from '../../platform/http/visitor.js';
import type { AuthService } from './auth.service.js';
import { loginBody, signInAnswer } from '../users/user.wire.js';

/** `/api/user/login` and `/api/user/logout` (docs/reference/rest/accounts.md#sign-in-and-registration). */
export const signInRoutes =
  (authService: AuthService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.post('/login', {
      bodyLimit: anonymousBodyLimit,
      handler: rest.open(async ({ body, query, request, reply }) => {
        assertNotForeignPage(request);
        const signIn = await authService.login(
          loginBody.parse(body),
          originOf(request),
          challengeOf(request, reply, query.turnstile),
        );
        setSignInCookies(request, reply, signIn);
        return signInAnswer(signIn);
      }),
    });

    app.get(
      '/logout',
      withoutHead,
      rest.open(async ({ request, reply }) => {
        if (request.cookies[sessionCookie]) assertFromOwnPage(request);
        await authService.logout(request.cookies[sessionCookie]);
        clearSessionCookie(reply);
      }),
    );
  };
