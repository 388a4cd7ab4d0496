import type { FastifyPluginAsync } from 'fastify';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import { setSignInCookies, signInRequestOf } from '../../platform/http/session-cookie.js';
import type { FactorSignInService } from './factor-sign-in.service.js';
import type { SecondFactorService } from './second-factor.service.js';
import { codeBody, toSignInWire } from '../users/user.wire.js';

/** The second step of a sign-in, and what the caller has set up (docs/reference/rest/accounts.md#second-factor). */
export const secondFactorRoutes =
  (
    signIns: FactorSignInService,
    factors: Pick<SecondFactorService, 'overview'>,
    rest: RestHandlers,
  ): FastifyPluginAsync =>
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

    app.get(
      '/2fa/status',
      rest.user(async ({ actor }) => {
        const { authenticatorApp, recoveryCodesLeft } = await factors.overview(actor);
        return { enabled: authenticatorApp !== null, locked: false, backup_codes_remaining: recoveryCodesLeft };
      }),
    );

    app.get(
      '/passkey',
      rest.user(async ({ actor }) => {
        const { passkeys } = await factors.overview(actor);
        return { enabled: passkeys.length > 0 };
      }),
    );
  };
