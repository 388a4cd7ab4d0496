import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { named, parameter, seconds, text, type Wire } from '../../../platform/http/openapi/operation.js';
import { routesFor } from '../../../platform/http/route.js';
import { failureKinds } from '../../../shared/failure-kind.js';
import { InvalidInputError } from '../../../shared/errors.js';
import {
  healthCacheSeconds,
  type HealthWindow,
  type ModelHealth,
  type ModelHealthService,
} from './model-health.service.js';
import { unixSeconds } from '../../../shared/clock.js';

const windows: Readonly<Record<string, HealthWindow>> = { '1h': 'HOUR', '24h': 'DAY', '7d': 'WEEK' };

const modelHealth = named('ModelHealth', 'How well a model serves the calls of a group.', {
  model_name: text('Name to call'),
  group: text('Group of the calls'),
  success_rate: z.number().nullable().describe('Share of served calls, 0 to 1'),
  first_token_p50_ms: z.number().nullable().describe('Milliseconds to the first data of half of the streams'),
  first_token_p95_ms: z.number().nullable().describe('Milliseconds to the first data of 95 % of the streams'),
  tokens_per_second: z.number().nullable().describe('Completion tokens per second'),
  last_failure: z
    .object({ kind: z.enum(failureKinds), at: seconds('Time of the failure') })
    .nullable()
    .describe('Kind and time of the last failure, without its provider'),
  calls: z.int().optional().describe('Served and failed calls, for admins'),
});

/** The endpoint format of shields.io. */
const badge = z.object({
  schemaVersion: z.literal(1),
  label: text('Name of the model'),
  message: text('Success rate, or `no data`'),
  color: text('Color of the rate'),
  cacheSeconds: z.int().describe('How long it may be kept'),
});

const route = routesFor<ModelHealthService>();
const window = parameter.words('`1h`, `24h` (the default) or `7d`');

/** `/api/model_health` and its badges (docs/reference/rest/public.md#model-health). */
export const modelHealthRoutes = [
  route('GET /api/model_health', {
    summary: 'How well models serve calls',
    description: 'Option `model_health.access` may open it to visitors, or switch it off.',
    caller: 'visitor',
    role: 'common',
    query: { window },
    data: z.object({ from: seconds('The figures cover the time since then'), models: z.array(modelHealth) }),
    example: { query: { window: '24h' } },
    handle: async (service, { actor, query, reply }) => {
      const { from, rows } = await service.list(actor, windowOf(query.window));
      letCache(reply, service);
      return { from: unixSeconds(from), models: rows.map(toWire) };
    },
  }),
  route('GET /api/model_health/badge/:model', {
    summary: 'A badge for shields.io',
    description: 'The endpoint format of shields.io. Option `model_health.access` may open it to visitors.',
    caller: 'visitor',
    role: 'common',
    path: { model: parameter.words('Name of the model; slashes as %2F') },
    query: { window, group: parameter.words('Only this group') },
    response: badge,
    example: { path: { model: 'gpt-4o' } },
    handle: async (service, { actor, params, query, reply }) => {
      const model = params['model'] ?? '';
      const row = await service.one(actor, windowOf(query.window), model, query.group);
      letCache(reply, service);
      return badgeOf(model, row);
    },
  }),
];

function windowOf(given = '24h'): HealthWindow {
  const window = Object.hasOwn(windows, given) ? windows[given] : undefined;
  if (!window) throw new InvalidInputError('window must be 1h, 24h or 7d', 'window');
  return window;
}

/** Lets proxies cache a response that is the same for every visitor. A signed-in user may see another one. */
function letCache(reply: FastifyReply, { isPublic }: ModelHealthService): void {
  const { cookie, authorization } = reply.request.headers;
  const mayStore = isPublic && cookie === undefined && authorization === undefined;
  reply.header('cache-control', mayStore ? `public, max-age=${healthCacheSeconds}` : 'private, no-store');
  reply.header('vary', 'Cookie, Authorization');
}

const toWire = (row: ModelHealth): Wire<typeof modelHealth> => ({
  model_name: row.modelName,
  group: row.group,
  success_rate: row.successRate,
  first_token_p50_ms: row.firstTokenP50Ms,
  first_token_p95_ms: row.firstTokenP95Ms,
  tokens_per_second: row.tokensPerSecond,
  last_failure: row.lastFailure && { kind: row.lastFailure.kind, at: unixSeconds(row.lastFailure.at) },
  ...(row.calls === null ? {} : { calls: row.calls }),
});

function badgeOf(label: string, row: ModelHealth | null): Wire<typeof badge> {
  const rate = row?.successRate ?? null;
  const shown = { schemaVersion: 1, label, cacheSeconds: 300 } as const;
  if (rate === null) return { ...shown, message: 'no data', color: 'lightgrey' };
  // The rate is rounded down, so that 100 % means that no call failed.
  const message = `${(Math.floor(rate * 10_000) / 100).toFixed(2).replace(/\.?0+$/, '')} %`;
  const color = rate >= 0.99 ? 'brightgreen' : rate >= 0.95 ? 'yellow' : rate >= 0.8 ? 'orange' : 'red';
  return { ...shown, message, color };
}
