import { z } from 'zod';
import { parameter, quota, text } from '../../platform/http/openapi/operation.js';
import { RestAnswer } from '../../platform/http/rest.js';
import { routesFor } from '../../platform/http/route.js';
import { isAppError, type ErrorCode } from '../../shared/errors.js';
import type { CheckIn, CheckInHistory, CheckInService } from './check-in.service.js';

const dayShape = z.object({ checkin_date: text('Day in UTC'), quota_awarded: quota('Credited') });
const historyShape = z.object({
  enabled: z.boolean(),
  min_quota: quota('Smallest reward'),
  max_quota: quota('Largest reward'),
  stats: z.object({
    checked_in_today: z.boolean(),
    total_checkins: z.int(),
    total_quota: quota('Credited in all months'),
    checkin_count: z.int().describe('Check-ins of the month'),
    records: z.array(dayShape),
  }),
});

const route = routesFor<CheckInService>();
const message = 'Check-in succeeded';

/** Texts of new-api (its controller/checkin.go and model/checkin.go), by which check-in tools tell failures apart. */
const textsThere: Readonly<Partial<Record<ErrorCode, string>>> = {
  CONFLICT: '今日已签到',
  INVALID_INPUT: '签到功能未启用',
};

/** Returns a failure with the text of new-api before the usual one. */
function failureThere(error: unknown): RestAnswer | undefined {
  const text = isAppError(error) ? textsThere[error.code] : undefined;
  if (!isAppError(error) || text === undefined) return undefined;
  return new RestAnswer({ success: false, message: `${text} (${error.message})`, code: error.code });
}

/** `/api/user/check_in`, and `/api/user/checkin` of new-api (docs/reference/rest/accounts.md#check-in). */
export const checkInRoutes = [
  route('GET /api/user/check_in_status', {
    summary: 'Whether the caller may check in today',
    caller: 'user',
    data: z.object({ can_check_in: z.boolean() }),
    example: {},
    handle: async (checkInService, { actor }) => ({ can_check_in: await checkInService.canCheckIn(actor) }),
  }),
  route('POST /api/user/check_in', {
    summary: 'Check in for the reward of the day',
    caller: 'user',
    data: z.object({ quota: quota('Credited') }),
    message,
    errors: ['INVALID_INPUT'],
    example: { fails: 'INVALID_INPUT' },
    handle: async (checkInService, { actor }) => {
      const { quota } = await checkInService.checkIn(actor);
      return { quota };
    },
  }),
  route('GET /api/user/checkin', {
    summary: 'Check-ins of a month, as new-api reports them',
    caller: 'user',
    query: { month: parameter.words('Such as `2026-11`; this month when absent') },
    data: historyShape,
    example: { query: { month: '2026-11' } },
    handle: async (checkInService, { actor, query }) =>
      toHistoryWire(await checkInService.history(actor, query.month ?? '')),
  }),
  route('POST /api/user/checkin', {
    summary: 'Check in, as clients of new-api do',
    caller: 'user',
    data: dayShape,
    message,
    errors: ['INVALID_INPUT'],
    ownFailure: failureThere,
    example: { fails: 'INVALID_INPUT' },
    handle: async (checkInService, { actor }) => toDayWire(await checkInService.checkIn(actor)),
  }),
];

const toDayWire = ({ day, quota }: CheckIn): z.output<typeof dayShape> => ({ checkin_date: day, quota_awarded: quota });

const toHistoryWire = (history: CheckInHistory): z.output<typeof historyShape> => ({
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
