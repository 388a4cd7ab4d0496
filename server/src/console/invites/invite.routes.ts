import type { FastifyPluginAsync } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { withMessage, type RestHandlers } from '../../platform/http/rest.js';
import type { InviteService } from './invite.service.js';
import { transferBody } from './invite.wire.js';

/** `/api/user/aff` and `/api/user/aff_transfer` (docs/reference/rest/accounts.md#invites-and-rebates). */
export const inviteRoutes =
  (inviteService: InviteService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/aff',
      rest.user(({ actor }) => inviteService.code(actor)),
    );

    app.post(
      '/aff_transfer',
      rest.user(async ({ actor, body, request, reply }) => {
        const key = idempotencyKeyOf(request);
        const { replayed } = await inviteService.transfer(actor, transferBody.parse(body).quota, key);
        markReplayed(reply, replayed);
        return withMessage('Transfer succeeded');
      }),
    );
  };
