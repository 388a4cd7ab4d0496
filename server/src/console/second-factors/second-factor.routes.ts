import type { FastifyPluginAsync } from 'fastify';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import { setSignInCookies, signInRequestOf } from '../../platform/http/session-cookie.js';
import type { FactorSignInService } from './factor-sign-in.service.js';
import { codeBody, toSignInWire } from '../users/user.wire.js';

/** `POST /api/user/login/2fa`: the second step of a sign-in (docs/reference/rest/accounts.md#second-factor). */
export const secondFactorRoutes =
  (signIns: FactorSignInService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.post('/login/2fa', {
      bodyLimit: anonymousBodyLimit,
      handler: rest.open(async ({ body, request, reply }) => {
        const { code } = codeBody.parse(body);
        const proof = /^\s*(\d\s*){6}$/.test(code) ? { code } : { recoveryCode: code };
        const signIn = await signIns.finish(request.cookies[sessionCookie], proof, signInRequestOf(request));
        setSignInCookies(request, reply, signIn);
        return toSignInWire(signIn.user);
      }),
    });
  };
