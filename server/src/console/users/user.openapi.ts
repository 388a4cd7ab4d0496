import { z } from 'zod';
import {
  flag,
  int,
  listOf,
  named,
  pages,
  parameter,
  quota,
  text,
  type ApiSection,
} from '../../platform/http/openapi/operation.js';
import { createBody, manageBody, selfBody, settingBody, topUpBody, updateBody } from './user.wire.js';

const shape = {
  id: int('Id'),
  username: text(
    'Name for signing in. Unique in any case, also among deleted users. At most 64 characters (12 at registration), no `@`',
  ),
  password: text('8 characters to 72 bytes (8 to 20 characters at registration). Always empty in responses'),
  display_name: text('Name that the console shows, at most 20 characters. The username by default'),
  role: int('1 common user, 10 admin, 100 root'),
  status: int('1 enabled, 2 banned'),
  email: text('Verified address of at most 50 characters, unique, or empty'),
  github_id: text('Numeric id at GitHub, or empty'),
  oidc_id: text('Subject at the OIDC provider, or empty'),
  wechat_id: text('Id at WeChat, or empty'),
  telegram_id: text('Id at Telegram, or empty'),
  verification_code: text('Part of the body of a registration. Always empty in responses'),
  access_token: z
    .string()
    .nullable()
    .describe('Only in the own user, and not while a second factor has to be confirmed; null for all others'),
  quota: quota('Balance, which may be negative'),
  used_quota: quota('Charged so far'),
  request_count: int('Charged calls'),
  group: text('Group, whose ratio multiplies prices'),
  aff_code: text("Own invite code. In the body of a registration the inviter's"),
  aff_count: int('Rewarded invitations'),
  aff_quota: quota('Invite earnings that were not moved to the balance yet'),
  aff_history_quota: quota('All invite earnings'),
  inviter_id: int('Id of the user who invited this one, or 0'),
  DeletedAt: z.string().nullable().describe('Time of deletion (RFC 3339), or null'),
  linux_do_id: text('Id at Linux DO, or empty'),
  setting: text('JSON text of the settings, or empty'),
  last_check_in_time: z.string().nullable().describe('Time of the last check-in (RFC 3339), or null'),
};

export const userShape = named('User', 'A user.', shape);
const managedShape = named('ManagedUser', 'A user as an admin reads it.', {
  ...shape,
  ungranted_quota: quota('Balance without what this admin has granted. Forms send it back with `quota`'),
});
const settingShape = z.object({
  notify_type: text('How notices are delivered: `email` or `webhook`'),
  quota_warning_threshold: z.number().describe('A notice is sent when the balance falls below it. Above 0'),
  webhook_url: text('For `webhook`, with `https`'),
  webhook_secret: text('For `webhook`. Sealed at rest'),
  notification_email: text('For `email`; empty for the address of the account'),
  accept_unset_model_ratio_model: flag('Calls to models without a price are allowed'),
});
const groups = z
  .record(z.string(), z.object({ desc: text('Description'), ratio: z.number().describe('Factor on prices') }))
  .describe('Groups by name');

/** Own account. */
export const accountSection: ApiSection = {
  name: 'Own account',
  description: 'The account of the caller.',
  operations: {
    'GET /api/user/self': { summary: 'The own user', role: 'common', data: userShape, example: {} },
    'PUT /api/user/self': {
      summary: 'Change name or password',
      description:
        "Other keys are ignored. A new password ends all other sessions and every access token, and the account's address gets a mail. A wrong `original_password` is refused; an access token needs it, a session does not, because older clients do not send it.",
      role: 'common',
      body: selfBody,
      bodyOf: userShape,
      errors: ['CONFLICT', 'INVALID_CREDENTIALS', 'CONFIRMATION_NEEDED'],
      example: { body: { display_name: 'Ada' } },
    },
    'DELETE /api/user/self': {
      summary: 'Delete the own account',
      description: 'Keys and sessions stop working at once. The root user cannot be deleted.',
      role: 'common',
      example: {},
    },
    'PUT /api/user/setting': {
      summary: 'Replace the notification settings',
      description: 'The time zone and the currency, which only GraphQL writes, stay.',
      role: 'common',
      body: settingBody,
      bodyOf: settingShape,
      example: { body: { notify_type: 'email', quota_warning_threshold: 1000 } },
    },
    'GET /api/user/token': {
      summary: 'A new access token',
      description: 'The old one stops working. Older clients use `GET`; `POST` does the same.',
      role: 'common',
      data: z.string(),
      errors: ['CONFIRMATION_NEEDED'],
      example: {},
    },
    'POST /api/user/token': {
      summary: 'A new access token',
      role: 'common',
      data: z.string(),
      errors: ['CONFIRMATION_NEEDED'],
      example: {},
    },
    'GET /api/user/2fa/status': {
      summary: 'Whether the caller has an authenticator app',
      role: 'common',
      data: z.object({
        enabled: z.boolean(),
        locked: z.boolean().describe('Always false: wrong codes delay the next one'),
        backup_codes_remaining: int('Recovery codes that were not used'),
      }),
      example: {},
    },
    'GET /api/user/passkey': {
      summary: 'Whether the caller has a passkey',
      role: 'common',
      data: z.object({ enabled: z.boolean() }),
      example: {},
    },
    'GET /api/user/self/groups': { summary: 'Groups the caller may use', role: 'common', data: groups, example: {} },
    'GET /api/user/groups': { summary: 'Groups of a new user', role: 'anonymous', data: groups, example: {} },
    'GET /api/user/models': {
      summary: 'Models the caller may call',
      description:
        'Prefixed names of the own group come first, and hide the plain name. Prefixes of other groups do not work with a key of the own group, and are not listed.',
      role: 'common',
      data: z.array(z.string()),
      example: {},
    },
  },
};

/** Administration of users. */
export const userSection: ApiSection = {
  name: 'Users',
  description: 'An admin may read and change users below the own role; root may change everyone.',
  operations: {
    'GET /api/user': {
      summary: 'All users, newest first',
      description: 'Deleted ones included.',
      role: 'admin',
      query: pages,
      data: listOf(managedShape),
      example: { query: { p: 1, page_size: 20 } },
    },
    'GET /api/user/search': {
      summary: 'Search users',
      role: 'admin',
      query: {
        ...pages,
        keyword: parameter.words('Part of the name, address or display name, or an exact id'),
        group: parameter.words('The exact group'),
      },
      data: listOf(managedShape),
      example: { query: { keyword: 'root' } },
    },
    'GET /api/user/:id': {
      summary: 'One user',
      description: 'One of a lower role than the caller, unless the caller is root.',
      role: 'admin',
      data: managedShape,
      errors: ['NOT_FOUND'],
      example: { path: { id: 2 } },
    },
    'POST /api/user': {
      summary: 'Create a user',
      description: "`role` must be below the caller's. The new user has the role 1.",
      role: 'admin',
      body: createBody,
      bodyOf: userShape,
      errors: ['CONFLICT'],
      example: { body: { username: 'grace', password: 'correct horse', display_name: 'Grace' } },
    },
    'PUT /api/user': {
      summary: 'Change a user',
      description:
        'Absent keys stay. `quota` is the new balance; with `ungranted_quota`, as `GET` returned it, what was spent or ' +
        'credited since stays so, and saving the form twice changes nothing more. `quota_delta` adds to the balance. ' +
        "A new password ends the user's sessions.",
      role: 'admin',
      once: true,
      body: updateBody,
      bodyOf: managedShape,
      errors: ['NOT_FOUND', 'CONFLICT'],
      example: { body: { id: 2, quota_delta: 500_000 } },
    },
    'DELETE /api/user/:id': {
      summary: 'Remove a user',
      description: 'The role of the user must be lower, for root too. Refused while calls of the user are in flight.',
      role: 'admin',
      errors: ['NOT_FOUND', 'CONFLICT'],
      example: { path: { id: 2 } },
    },
    'POST /api/topup': {
      summary: 'Credit a user',
      description: 'As billing programs of one-api do. `remark` is part of the log row.',
      role: 'admin',
      once: true,
      body: topUpBody,
      errors: ['NOT_FOUND'],
      example: { body: { user_id: 2, quota: 500_000, remark: 'Order 1042' } },
    },
    'POST /api/user/manage': {
      summary: 'Enable, ban, delete, promote or demote a user',
      description:
        "`action` is `enable`, `disable`, `delete`, `promote` or `demote`. Clients of one-api send `username` instead of `id`. Root cannot be disabled, deleted or demoted; only root promotes. `disable`, `delete` and `demote` end the user's sessions. The response has `role` and `status` only; its other fields are empty.",
      role: 'admin',
      body: manageBody,
      data: userShape,
      errors: ['NOT_FOUND'],
      example: { body: { id: 2, action: 'disable' } },
    },
  },
};
