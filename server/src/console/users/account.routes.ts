import type { FastifyPluginAsync } from 'fastify';
import { withMessage, withoutHead, type RestHandlers } from '../../platform/http/rest.js';
import { clearSessionCookie } from '../../platform/http/session-cookie.js';
import type { AccountService } from './account.service.js';
import type { SettingService } from './setting.service.js';
import { selfBody, settingBody, toWire } from './user.wire.js';

/**
 * `/api/user/self`, `/api/user/setting` and `/api/user/token`: the caller's own account
 * (docs/reference/rest/accounts.md#own-account).
 */
export const accountRoutes =
  (accountService: AccountService, settingService: SettingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/self',
      rest.user(async ({ actor }) => {
        const [user, accessToken] = await Promise.all([
          accountService.get(actor),
          accountService.shownAccessToken(actor),
        ]);
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

    app.put(
      '/setting',
      rest.user(async ({ actor, body }) => {
        await settingService.replace(actor, settingBody.parse(body));
        return withMessage('Settings updated');
      }),
    );

    // Old clients change state with GET here. POST does the same.
    app.route({
      ...withoutHead,
      method: ['GET', 'POST'],
      url: '/token',
      handler: rest.user(({ actor }) => accountService.renewAccessToken(actor)),
    });
  };
