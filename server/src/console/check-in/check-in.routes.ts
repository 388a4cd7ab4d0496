import type { FastifyPluginAsync } from 'fastify';
import { withMessage, type RestHandlers } from '../../platform/http/rest.js';
import type { CheckInService } from './check-in.service.js';

/** `/api/user/check_in` (docs/reference/rest/accounts.md#check-in). */
export const checkInRoutes =
  (checkInService: CheckInService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/check_in_status',
      rest.user(async ({ actor }) => ({ can_check_in: await checkInService.canCheckIn(actor) })),
    );

    app.post(
      '/check_in',
      rest.user(async ({ actor }) => withMessage('Check-in succeeded', { quota: await checkInService.checkIn(actor) })),
    );
  };
