import { z } from 'zod';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { int, listOf, pages, parameter } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { Token } from '../../billing/accounts/index.js';
import type { TokenService } from './token.service.js';
import { createBody, patchBody, rotateBody, tokenShape, toWire } from './token.wire.js';
import type { UserKey, UserKeyService } from './user-keys.service.js';

const route = routesFor<{
  readonly userKeys: UserKeyService;
  readonly tokenService: Pick<TokenService, 'list' | 'grantedQuotas'>;
}>();
const caller = { may: 'users.keys' } as const;
const scope = 'BILLING';

/** A key without its text, of which only the beginning is stored. */
const withoutText = (token: Token, granted = 0) => toWire({ token, key: `${token.keyPrefix}**********`, granted });
const withText = ({ token, key }: UserKey) => toWire({ token, key, granted: token.remainQuota + token.usedQuota });

/** `/api/key`: API keys of users, for admins and billing systems (docs/guide/billing-systems.md). */
export const userKeyRoutes = [
  route('GET /api/key', {
    summary: 'Keys of users, newest first',
    description: 'Without their text. Deleted keys are not listed.',
    caller,
    scope,
    query: { ...pages, user_id: parameter.id('Only those of this user') },
    data: listOf(tokenShape),
    example: { query: { p: 1, user_id: 1 } },
    handle: ({ tokenService }, { actor, query, request }) =>
      wirePage(
        request,
        query,
        { paged: true },
        (token: Token) => withoutText(token),
        (page) => tokenService.list(actor, query.user_id ? { userIds: [query.user_id] } : {}, page),
      ),
  }),
  route('POST /api/key', {
    summary: 'Create a key of a user',
    description:
      'Fields as of `POST /api/token`. The response has the text of the key, which no later one contains; a retry with the same `Idempotency-Key` returns it again. The user must be below the role of the caller.',
    caller,
    scope,
    once: true,
    body: z.intersection(z.object({ user_id: z.int().min(1) }), createBody),
    data: tokenShape,
    errors: ['NOT_FOUND', 'GROUP_NOT_ALLOWED', 'CONFLICT', 'CONFIRMATION_NEEDED'],
    example: { body: { user_id: 2, name: 'billing', unlimited_quota: true } },
    handle: async ({ userKeys }, { actor, body, idempotencyKey, reply }) => {
      const created = await userKeys.create(actor, body.user_id, body.fields, body.budgets, idempotencyKey);
      markReplayed(reply, created.replayed);
      return withText(created);
    },
  }),
  route('PUT /api/key', {
    summary: 'Change limits and state of a key of a user',
    description: 'Absent fields stay. `status` is 1 (enabled) or 2 (disabled).',
    caller,
    scope,
    body: patchBody,
    data: tokenShape,
    errors: ['NOT_FOUND', 'GROUP_NOT_ALLOWED', 'TOKEN_EXPIRED', 'TOKEN_QUOTA_EXHAUSTED', 'CONFIRMATION_NEEDED'],
    example: { body: { id: 2, name: 'billing' } },
    handle: async ({ userKeys }, { actor, body: { id, fields } }) =>
      withoutText(await userKeys.update(actor, id, fields)),
  }),
  route('POST /api/key/:id/rotate', {
    summary: 'Give a key of a user new text',
    description: 'As `POST /api/token/:id/rotate`. A retry with the same `Idempotency-Key` returns the same text.',
    caller,
    scope,
    once: true,
    body: rotateBody,
    data: tokenShape,
    errors: ['NOT_FOUND', 'CONFLICT', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 2 }, body: {} },
    handle: async ({ userKeys }, { actor, id, body, idempotencyKey, reply }) => {
      const rotated = await userKeys.rotate(actor, id, body.overlapUntil, idempotencyKey);
      markReplayed(reply, rotated.replayed);
      return withText(rotated);
    },
  }),
  route('DELETE /api/key/:id', {
    summary: 'Revoke a key of a user',
    caller,
    scope,
    data: z.object({ id: int('Id') }),
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 2 } },
    handle: async ({ userKeys }, { actor, id }) => {
      await userKeys.revoke(actor, id);
      return { id };
    },
  }),
];
