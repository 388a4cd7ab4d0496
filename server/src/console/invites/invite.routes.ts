import { markReplayed } from '../../platform/http/idempotency-key.js';
import { text } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import type { InviteService } from './invite.service.js';
import { transferBody } from './invite.wire.js';

const route = routesFor<InviteService>();

/** `/api/user/aff` and `/api/user/aff_transfer` (docs/reference/rest/accounts.md#invites-and-rebates). */
export const inviteRoutes = [
  route('GET /api/user/aff', {
    summary: 'The own invite code',
    caller: 'user',
    data: text('Code'),
    example: {},
    handle: (inviteService, { actor }) => inviteService.code(actor),
  }),
  route('POST /api/user/aff_transfer', {
    summary: 'Move invite earnings to the balance',
    caller: 'user',
    once: true,
    body: transferBody,
    message: 'Transfer succeeded',
    errors: ['INVALID_INPUT', 'INSUFFICIENT_QUOTA'],
    example: { body: { quota: 1 }, fails: 'INVALID_INPUT' },
    handle: async (inviteService, { actor, body, idempotencyKey, reply }) => {
      const { replayed } = await inviteService.transfer(actor, body.quota, idempotencyKey);
      markReplayed(reply, replayed);
    },
  }),
];
