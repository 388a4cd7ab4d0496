import { z } from 'zod';
import { named, parameter, seconds, text, type Wire } from '../../../platform/http/openapi/operation.js';
import { routesFor } from '../../../platform/http/route.js';
import { unixSeconds } from '../../../shared/clock.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { serviceStates } from '../../../shared/service-state.js';
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

const state = z.enum(serviceStates);
const serviceStatus = named('ServiceStatus', 'The state of a model in a group.', {
  model_name: text('Name to call'),
  group: text('Group of the calls'),
  state: state.describe('State of the running hour'),
  uptime: z.number().describe('Share of the hours without an outage, 0 to 1, rounded down'),
  problems: z.array(z.object({ bucket: z.int(), state })).describe('Buckets with problems; 0 is the oldest'),
});
const incident = named('Incident', 'A stretch of hours with problems.', {
  model_name: text('Name to call'),
  groups: z.array(z.string()).describe('Groups with problems at that time'),
  state: state.describe('State of its worst hour'),
  from: seconds('Start of its first hour'),
  until: seconds('End of its last hour; null while it lasts').nullable(),
});
const pageShape = z.object({
  from: seconds('Start of the oldest bucket'),
  until: seconds('End of the newest'),
  bucket_seconds: z.int().describe('Length of a bucket'),
  state: state.describe('The worst of all models'),
  models: z.array(serviceStatus),
  incidents: z.array(incident).describe('The newest 50'),
});

/** `/api/status_page` (docs/reference/rest/public.md#status-page). */
export const statusPageRoutes = [
  routesFor<StatusPageService>()('GET /api/status_page', {
    summary: 'The state of what the site sells',
    description: 'For everyone while option `status_page.enabled` is on.',
    caller: 'guest',
    query: { window: parameter.words('`24h` (the default), `7d`, `30d` or `90d`') },
    data: pageShape,
    example: { query: { window: '24h' } },
    handle: async (service, { actor, query, reply }) => {
      const page = await service.page(actor, periodOf(query.window));
      // All visitors get the same response, so proxies may cache it.
      const { cookie, authorization } = reply.request.headers;
      const mayStore = cookie === undefined && authorization === undefined;
      reply.header('cache-control', mayStore ? `public, max-age=${String(statusCacheSeconds)}` : 'private, no-store');
      reply.header('vary', 'Cookie, Authorization');
      return toWire(page);
    },
  }),
];

function periodOf(given = '24h'): StatusPeriod {
  const period = Object.hasOwn(periods, given) ? periods[given] : undefined;
  if (!period) throw new InvalidInputError('window must be 24h, 7d, 30d or 90d', 'window');
  return period;
}

const toWire = (page: StatusPage): Wire<typeof pageShape> => ({
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
