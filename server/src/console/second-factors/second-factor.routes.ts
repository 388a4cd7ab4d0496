import { z } from 'zod';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import { int } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { setSignInCookies, signInRequestOf } from '../../platform/http/session-cookie.js';
import type { FactorSignInService } from './factor-sign-in.service.js';
import type { SecondFactorService } from './second-factor.service.js';
import { codeBody, toSignInWire, userShape } from '../users/user.wire.js';

/** The second step of a sign-in (docs/reference/rest/accounts.md#second-factor). */
export const factorSignInRoutes = [
  routesFor<{ readonly factorSignIns: FactorSignInService }>()('POST /api/user/login/2fa', {
    summary: 'Second step of a sign-in',
    caller: 'open',
    bodyLimit: anonymousBodyLimit,
    body: codeBody,
    data: userShape,
    errors: ['INVALID_CREDENTIALS'],
    example: { body: { code: '000000' }, fails: 'INVALID_INPUT' },
    handle: async ({ factorSignIns }, { body: { code }, request, reply }) => {
      const proof = /^\s*(\d\s*){6}$/.test(code) ? { code } : { recoveryCode: code };
      const signIn = await factorSignIns.finish(request.cookies[sessionCookie], proof, signInRequestOf(request));
      setSignInCookies(request, reply, signIn);
      return toSignInWire(signIn.user);
    },
  }),
];

const route = routesFor<{ readonly secondFactors: Pick<SecondFactorService, 'overview'> }>();

/** The second factors that the caller has. */
export const secondFactorRoutes = [
  route('GET /api/user/2fa/status', {
    summary: 'Whether the caller has an authenticator app',
    caller: 'user',
    data: z.object({
      enabled: z.boolean(),
      locked: z.boolean().describe('Always false: wrong codes delay the next one'),
      backup_codes_remaining: int('Recovery codes that were not used'),
    }),
    example: {},
    handle: async ({ secondFactors }, { actor }) => {
      const { authenticatorApp, recoveryCodesLeft } = await secondFactors.overview(actor);
      return { enabled: authenticatorApp !== null, locked: false, backup_codes_remaining: recoveryCodesLeft };
    },
  }),
  route('GET /api/user/passkey', {
    summary: 'Whether the caller has a passkey',
    caller: 'user',
    data: z.object({ enabled: z.boolean() }),
    example: {},
    handle: async ({ secondFactors }, { actor }) => {
      const { passkeys } = await secondFactors.overview(actor);
      return { enabled: passkeys.length > 0 };
    },
  }),
];
