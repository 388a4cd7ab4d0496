import { markReplayed } from '../../platform/http/idempotency-key.js';
import { z } from 'zod';
import { int, listOf, pages, parameter, quota } from '../../platform/http/openapi/operation.js';
import { wireList } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { Actor } from '../../shared/actor.js';
import type { User } from '../../billing/accounts/index.js';
import type { UserService } from './user.service.js';
import {
  balanceBody,
  createBody,
  manageBody,
  managedShape,
  type ManagedUser,
  toAdminWire,
  toManagedWire,
  topUpBody,
  updateBody,
  userShape,
} from './user.wire.js';

const route = routesFor<UserService>();
const reader = { may: 'users.read' } as const;
const writer = { may: 'users.write' } as const;

async function toWires(userService: UserService, actor: Actor, users: readonly User[]): Promise<ManagedUser[]> {
  const ids = users.map(({ id }) => id);
  const granted = await userService.granted(actor, ids);
  return users.map((user) => toAdminWire(user, granted.get(user.id) ?? 0));
}

/** `/api/user`: user administration (docs/reference/rest/accounts.md#user-administration). */
export const userRoutes = [
  route('GET /api/user', {
    summary: 'All users, newest first',
    description: 'Deleted ones included.',
    caller: reader,
    query: pages,
    data: listOf(managedShape),
    example: { query: { p: 1, page_size: 20 } },
    handle: async (userService, { actor, query, request }) => {
      const { answer, ...page } = wireList(request, query, { paged: true });
      const { items, total } = await userService.list(actor, {}, page);
      return answer(await toWires(userService, actor, items), total);
    },
  }),
  route('GET /api/user/search', {
    summary: 'Search users',
    caller: reader,
    scope: 'BILLING',
    query: {
      ...pages,
      keyword: parameter.words('Part of the name, address or display name, or an exact id'),
      group: parameter.words('The exact group'),
      external_id: parameter.words('The exact external id'),
    },
    data: listOf(managedShape),
    example: { query: { keyword: 'root' } },
    handle: async (userService, { actor, query, request }) => {
      const { answer, ...page } = wireList(request, query, { paged: true });
      const { keyword, group, external_id: externalId } = query;
      const filter = {
        ...(keyword && { keyword }),
        ...(group && { groups: [group] }),
        ...(externalId && { externalIds: [externalId] }),
      };
      const { items, total } = await userService.list(actor, filter, page);
      return answer(await toWires(userService, actor, items), total);
    },
  }),
  route('GET /api/user/:id', {
    summary: 'One user',
    description: 'One of a lower role than the caller, unless the caller is root.',
    caller: reader,
    scope: 'BILLING',
    data: managedShape,
    errors: ['NOT_FOUND'],
    example: { path: { id: 2 } },
    handle: async (userService, { actor, id }) => {
      const user = await userService.get(actor, id);
      const granted = await userService.granted(actor, [user.id]);
      return toAdminWire(user, granted.get(user.id) ?? 0);
    },
  }),
  route('POST /api/user', {
    summary: 'Create a user',
    description:
      "`role` must be below the caller's. The new user has the role 1. `balance` is the first balance in quota, that of new users if it is absent; it needs `users.quota` too.",
    caller: writer,
    scope: 'BILLING',
    once: true,
    body: createBody,
    bodyOf: managedShape,
    data: z.object({ id: int('Id of the new user') }),
    errors: ['CONFLICT'],
    example: { body: { username: 'grace', password: 'correct horse', display_name: 'Grace' } },
    handle: async (userService, { actor, body, idempotencyKey, reply }) => {
      const { user, replayed } = await userService.create(actor, body, idempotencyKey);
      markReplayed(reply, replayed);
      return { id: user.id };
    },
  }),
  route('PUT /api/user', {
    summary: 'Change a user',
    description:
      'Absent keys stay. `quota` is the new balance; with `ungranted_quota`, as `GET` returned it, what was spent or ' +
      'credited since stays so, and saving the form twice changes nothing more. `quota_delta` adds to the balance. ' +
      "A new password ends the user's sessions.",
    caller: { may: ['users.write', 'users.quota'] },
    once: true,
    body: updateBody,
    bodyOf: managedShape,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { id: 2, quota_delta: 500_000 } },
    handle: async (userService, { actor, body, idempotencyKey, reply }) => {
      const { replayed } = await userService.update(actor, body.id, body.patch, idempotencyKey);
      markReplayed(reply, replayed);
    },
  }),
  route('POST /api/user/:id/balance', {
    summary: 'Add to the balance of a user, or set it',
    description:
      'Either `amount`, which deducts if it is negative, or `balance`. `note` is part of the log row of an amount.',
    caller: { may: 'users.quota' },
    scope: 'BILLING',
    once: true,
    body: balanceBody,
    data: z.object({ balance: quota('Balance after the change') }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 2 }, body: { amount: 500_000, note: 'Invoice 5005' } },
    handle: async (userService, { actor, id, body: { amount, balance, note }, idempotencyKey, reply }) => {
      const { user, replayed } =
        amount == null
          ? await userService.update(actor, id, { quota: balance ?? 0 }, idempotencyKey)
          : await userService.grantQuota(actor, id, amount, { note: note ?? '', idempotencyKey });
      markReplayed(reply, replayed);
      return { balance: user.quota };
    },
  }),
  route('DELETE /api/user/:id', {
    summary: 'Remove a user',
    description: 'The role of the user must be lower, for root too. Refused while calls of the user are in flight.',
    caller: writer,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 2 } },
    handle: async (userService, { actor, id }) => {
      await userService.remove(actor, id);
    },
  }),
  route('POST /api/topup', {
    summary: 'Credit a user',
    description: 'As billing programs of one-api do. `remark` is part of the log row.',
    caller: { may: 'users.quota' },
    once: true,
    body: topUpBody,
    errors: ['NOT_FOUND'],
    example: { body: { user_id: 2, quota: 500_000, remark: 'Order 1042' } },
    handle: async (userService, { actor, body: { userId, quota, note }, idempotencyKey, reply }) => {
      const { replayed } = await userService.grantQuota(actor, userId, quota, { note, idempotencyKey });
      markReplayed(reply, replayed);
    },
  }),
  route('POST /api/user/manage', {
    summary: 'Enable, ban, delete, promote or demote a user',
    description:
      "`action` is `enable`, `disable`, `delete`, `promote` or `demote`. Clients of one-api send `username` instead of `id`. Access tokens with the scope `BILLING` may enable and disable; the other actions need `WRITE`. Root cannot be disabled, deleted or demoted; only root promotes. `disable`, `delete` and `demote` end the user's sessions. The response has `role` and `status` only; its other fields are empty.",
    caller: writer,
    scope: 'BILLING',
    body: manageBody,
    data: userShape,
    errors: ['NOT_FOUND'],
    example: { body: { id: 2, action: 'disable' } },
    handle: async (userService, { actor, body: { id, username, action } }) => {
      const target = id ?? (await userService.idOf(actor, username ?? ''));
      return toManagedWire(await userService.manage(actor, target, action));
    },
  }),
];
