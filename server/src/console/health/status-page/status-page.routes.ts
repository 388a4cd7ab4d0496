import type { FastifyPluginAsync } from 'fastify';
import type { RestHandlers } from '../../../platform/http/rest.js';
import { unixSeconds } from '../../../shared/clock.js';
import { InvalidInputError } from '../../../shared/errors.js';
import {
  statusCacheSeconds,
  type StatusPage,
  type StatusPageService,
  type StatusPeriod,
} from './status-page.service.js';

const periods: Readonly<Record<string, StatusPeriod>> = {
  '24h': 'DAY',
  '7d': 'WEEK',
  '30d': 'MONTH',
  '90d': 'QUARTER',
};

/** `/api/status_page` (docs/reference/rest/public.md#status-page). */
export const statusPageRoutes =
  (service: StatusPageService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.guest(async ({ actor, query, reply }) => {
        const page = await service.page(actor, periodOf(query['window']));
        // All visitors get the same response, so proxies may cache it.
        const { cookie, authorization } = reply.request.headers;
        const mayStore = cookie === undefined && authorization === undefined;
        reply.header('cache-control', mayStore ? `public, max-age=${String(statusCacheSeconds)}` : 'private, no-store');
        reply.header('vary', 'Cookie, Authorization');
        return toWire(page);
      }),
    );
  };

function periodOf(given = '24h'): StatusPeriod {
  const period = Object.hasOwn(periods, given) ? periods[given] : undefined;
  if (!period) throw new InvalidInputError('window must be 24h, 7d, 30d or 90d', 'window');
  return period;
}

const toWire = (page: StatusPage): Record<string, unknown> => ({
  from: unixSeconds(page.from),
  until: unixSeconds(page.until),
  bucket_seconds: page.bucketSeconds,
  state: page.state,
  models: page.services.map(({ modelName, ...service }) => ({ model_name: modelName, ...service })),
  incidents: page.incidents.map(({ modelName, groups, state, from, until }) => ({
    model_name: modelName,
    groups,
    state,
    from: unixSeconds(from),
    until: until && unixSeconds(until),
  })),
});
