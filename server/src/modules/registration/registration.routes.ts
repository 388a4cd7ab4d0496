import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { anonymousBodyLimit } from '../../http/api-scope.js';
import type { RestHandlers } from '../../http/rest.js';
import { challengeOf } from '../../http/visitor.js';
import type { PasswordResetService } from './password-reset.service.js';
import type { RegistrationService } from './registration.service.js';

const text = z.string().nullish();

export const registerBody = z
  .object({ username: z.string(), password: z.string(), email: text, verification_code: text, aff_code: text })
  .transform(({ username, password, email, verification_code: code, aff_code: affCode }) => ({
    ...{ username, password },
    ...{ email: email ?? undefined, verificationCode: code ?? undefined, affCode: affCode ?? undefined },
  }));

export const resetBody = z.object({ email: z.string().min(1).max(200), token: z.string().min(1).max(200) });

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
      rest.open(async ({ query, request, reply }) => {
        await registrationService.sendCode(query.email ?? '', challengeOf(request, reply, query.turnstile));
      }),
    );

    app.get(
      '/reset_password',
      rest.open(async ({ query, request, reply }) => {
        await passwordResetService.request(query.email ?? '', challengeOf(request, reply, query.turnstile));
      }),
    );

    app.post('/user/register', {
      bodyLimit,
      handler: rest.open(async ({ body, query, request, reply }) => {
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
