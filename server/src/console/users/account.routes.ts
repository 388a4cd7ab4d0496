import { z } from 'zod';
import { routesFor } from '../../platform/http/route.js';
import { clearSessionCookie } from '../../platform/http/session-cookie.js';
import type { AccountService } from './account.service.js';
import type { SettingService } from './setting.service.js';
import { selfBody, settingBody, settingShape, toWire, userShape } from './user.wire.js';

const route = routesFor<{ readonly accountService: AccountService; readonly settingService: SettingService }>();
const caller = 'user';

/**
 * `/api/user/self`, `/api/user/setting` and `/api/user/token`: the caller's own account
 * (docs/reference/rest/accounts.md#own-account).
 */
export const accountRoutes = [
  route('GET /api/user/self', {
    summary: 'The own user',
    caller,
    data: userShape,
    example: {},
    handle: async ({ accountService }, { actor }) => {
      const [user, accessToken] = await Promise.all([
        accountService.get(actor),
        accountService.shownAccessToken(actor),
      ]);
      return toWire(user, { accessToken, webhookSecret: accountService.webhookSecret(user) });
    },
  }),
  route('PUT /api/user/self', {
    summary: 'Change name or password',
    description:
      "Other keys are ignored. A new password ends all other sessions and every access token, and the account's address gets a mail. A wrong `original_password` is refused; an access token needs it, a session does not, because older clients do not send it.",
    caller,
    body: selfBody,
    bodyOf: userShape,
    errors: ['CONFLICT', 'INVALID_CREDENTIALS', 'CONFIRMATION_NEEDED'],
    example: { body: { display_name: 'Ada' } },
    handle: async ({ accountService }, { actor, body }) => {
      await accountService.update(actor, body);
    },
  }),
  route('DELETE /api/user/self', {
    summary: 'Delete the own account',
    description: 'Keys and sessions stop working at once. The root user cannot be deleted.',
    caller,
    example: {},
    handle: async ({ accountService }, { actor, reply }) => {
      await accountService.remove(actor);
      clearSessionCookie(reply);
    },
  }),
  route('PUT /api/user/setting', {
    summary: 'Replace the notification settings',
    description: 'The time zone and the currency, which only GraphQL writes, stay.',
    caller,
    body: settingBody,
    bodyOf: settingShape,
    message: 'Settings updated',
    example: { body: { notify_type: 'email', quota_warning_threshold: 1000 } },
    handle: async ({ settingService }, { actor, body }) => {
      await settingService.replace(actor, body);
    },
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    route(`${method} /api/user/token`, {
      summary: 'A new access token',
      description:
        method === 'GET' ? 'The old one stops working. Older clients use `GET`; `POST` does the same.' : undefined,
      caller,
      withoutHead: true,
      data: z.string(),
      errors: ['CONFIRMATION_NEEDED'],
      example: {},
      handle: ({ accountService }, { actor }) => accountService.renewAccessToken(actor),
    }),
  ),
];
