import type { FastifyPluginAsync } from 'fastify';
import type { RestHandlers } from '../../http/rest.js';
import { clearSessionCookie } from '../../http/session-cookie.js';
import type { AccountService } from './account.service.js';
import { selfBody, toWire } from './user.wire.js';

/** `/api/user/self` and `/api/user/token`: people and their own account (`rest-api.md` 3.3). */
export const accountRoutes =
  (accountService: AccountService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/self',
      rest.user(async ({ actor }) => {
        const [user, accessToken] = await Promise.all([accountService.get(actor), accountService.accessToken(actor)]);
        return toWire(user, accessToken);
      }),
    );

    app.put(
      '/self',
      rest.user(async ({ actor, body }) => {
        await accountService.update(actor, selfBody.parse(body));
      }),
    );

    app.delete(
      '/self',
      rest.user(async ({ actor, reply }) => {
        await accountService.remove(actor);
        clearSessionCookie(reply);
      }),
    );

    // The old clients change state by GET here; POST is the right way to ask for the same.
    app.route({
      method: ['GET', 'POST'],
      url: '/token',
      handler: rest.user(({ actor }) => accountService.renewAccessToken(actor)),
    });
  };
