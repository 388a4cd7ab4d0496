import { z } from 'zod';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import { int, seconds } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { setSignInCookies, signInRequestOf } from '../../platform/http/session-cookie.js';
import { unixSeconds } from '../../shared/clock.js';
import type { FactorSignInService } from './factor-sign-in.service.js';
import type { SecondFactorService } from './second-factor.service.js';
import { codeBody, proofOf, toSignInWire, userShape } from '../users/user.wire.js';

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
      const signIn = await factorSignIns.finish(
        request.cookies[sessionCookie],
        proofOf(code),
        signInRequestOf(request),
      );
      setSignInCookies(request, reply, signIn);
      return toSignInWire(signIn.user);
    },
  }),
];

const route = routesFor<{ readonly secondFactors: Pick<SecondFactorService, 'overview' | 'verify'> }>();

/** The second factors of the caller, as clients of new-api read and show them. */
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
  route('POST /api/verify', {
    summary: 'Confirm the session with a code of the second factor',
    description:
      'Before the key of a channel is read. A session that was confirmed within five minutes needs no code. Passkeys are shown over GraphQL (`confirmSession`).',
    caller: 'user',
    body: codeBody,
    data: z.object({ verified: z.boolean(), expires_at: seconds('End of the confirmation') }),
    errors: ['INVALID_CREDENTIALS'],
    example: { body: { code: '000000' }, fails: 'INVALID_INPUT' },
    handle: async ({ secondFactors }, { actor, body: { code }, request }) => {
      const until = await secondFactors.verify(actor, proofOf(code), request.headers.origin);
      return { verified: true, expires_at: unixSeconds(until) };
    },
  }),
];
