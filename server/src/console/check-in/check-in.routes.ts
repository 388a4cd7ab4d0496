import type { FastifyPluginAsync } from 'fastify';
import { withMessage, type RestHandlers } from '../../platform/http/rest.js';
import type { CheckIn, CheckInHistory, CheckInService } from './check-in.service.js';

/** `/api/user/check_in`, and `/api/user/checkin` of new-api (docs/reference/rest/accounts.md#check-in). */
export const checkInRoutes =
  (checkInService: CheckInService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/check_in_status',
      rest.user(async ({ actor }) => ({ can_check_in: await checkInService.canCheckIn(actor) })),
    );

    app.post(
      '/check_in',
      rest.user(async ({ actor }) => {
        const { quota } = await checkInService.checkIn(actor);
        return withMessage('Check-in succeeded', { quota });
      }),
    );

    app.get(
      '/checkin',
      rest.user(async ({ actor, query }) => toHistoryWire(await checkInService.history(actor, query['month'] ?? ''))),
    );

    app.post(
      '/checkin',
      rest.user(async ({ actor }) => withMessage('Check-in succeeded', toDayWire(await checkInService.checkIn(actor)))),
    );
  };

const toDayWire = ({ day, quota }: CheckIn): Record<string, unknown> => ({ checkin_date: day, quota_awarded: quota });

const toHistoryWire = (history: CheckInHistory): Record<string, unknown> => ({
  enabled: history.isEnabled,
  min_quota: history.minQuota,
  max_quota: history.maxQuota,
  stats: {
    checked_in_today: history.isDoneToday,
    total_checkins: history.total.count,
    total_quota: history.total.quota,
    checkin_count: history.days.length,
    records: history.days.map(toDayWire),
  },
});
