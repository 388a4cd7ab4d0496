import type { FastifyPluginAsync } from 'fastify';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { assertNotForeignPage } from '../../platform/http/authenticate.js';
import { withoutHead, type RestHandlers } from '../../platform/http/rest.js';
import { challengeOf } from '../../platform/http/visitor.js';
import type { PasswordResetService } from './password-reset.service.js';
import type { RegistrationService } from './registration.service.js';
import { registerBody, resetBody } from './registration.wire.js';

/** Registration, e-mail codes and password reset (docs/reference/rest/accounts.md#sign-in-and-registration). */
export const registrationRoutes =
  (
    registrationService: RegistrationService,
    passwordResetService: PasswordResetService,
    rest: RestHandlers,
  ): FastifyPluginAsync =>
  async (app) => {
    const bodyLimit = anonymousBodyLimit;

    app.get(
      '/verification',
      withoutHead,
      rest.open(async ({ query, request, reply }) => {
        await registrationService.sendCode(query.email ?? '', challengeOf(request, reply, query.turnstile));
      }),
    );

    app.get(
      '/reset_password',
      withoutHead,
      rest.open(async ({ query, request, reply }) => {
        await passwordResetService.request(query.email ?? '', challengeOf(request, reply, query.turnstile));
      }),
    );

    app.post('/user/register', {
      bodyLimit,
      handler: rest.open(async ({ body, query, request, reply }) => {
        assertNotForeignPage(request);
        await registrationService.admit(challengeOf(request, reply, query.turnstile));
        await registrationService.register(registerBody.parse(body));
      }),
    });

    app.post('/user/reset', {
      bodyLimit,
      handler: rest.open(async ({ body, request }) => {
        const { email, token } = resetBody.parse(body);
        return passwordResetService.reset(email, token, request.ip);
      }),
    });
  };
