import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../../platform/http/rest.js';
import { InvalidInputError } from '../../../shared/errors.js';
import {
  healthCacheSeconds,
  type HealthWindow,
  type ModelHealth,
  type ModelHealthService,
} from './model-health.service.js';

const windows: Readonly<Record<string, HealthWindow>> = { '1h': 'HOUR', '24h': 'DAY', '7d': 'WEEK' };

/** `/api/model_health` and its badges (docs/reference/rest/public.md#model-health). */
export const modelHealthRoutes =
  (service: ModelHealthService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.visitor(async ({ actor, query, reply }) => {
        const { from, rows } = await service.list(actor, windowOf(query['window']));
        letCache(reply, service);
        return { from: from.getTime() / 1000, models: rows.map(toWire) };
      }),
    );

    // Slashes in names of models are encoded as %2F.
    app.get(
      '/badge/:model',
      rest.visitor(async ({ actor, params, query, reply }) => {
        const model = params['model'] ?? '';
        const row = await service.one(actor, windowOf(query['window']), model, query['group']);
        letCache(reply, service);
        return new RestAnswer(badgeOf(model, row));
      }),
    );
  };

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

const toWire = (row: ModelHealth): Record<string, unknown> => ({
  model_name: row.modelName,
  group: row.group,
  success_rate: row.successRate,
  first_token_p50_ms: row.firstTokenP50Ms,
  first_token_p95_ms: row.firstTokenP95Ms,
  tokens_per_second: row.tokensPerSecond,
  last_failure: row.lastFailure && { kind: row.lastFailure.kind, at: row.lastFailure.at.getTime() / 1000 },
  ...(row.calls === null ? {} : { calls: row.calls }),
});

/** Returns a badge in the endpoint format of shields.io. */
function badgeOf(label: string, row: ModelHealth | null): Record<string, unknown> {
  const rate = row?.successRate ?? null;
  const shown = { schemaVersion: 1, label, cacheSeconds: 300 };
  if (rate === null) return { ...shown, message: 'no data', color: 'lightgrey' };
  // The rate is rounded down, so that 100 % means that no call failed.
  const message = `${(Math.floor(rate * 10_000) / 100).toFixed(2).replace(/\.?0+$/, '')} %`;
  const color = rate >= 0.99 ? 'brightgreen' : rate >= 0.95 ? 'yellow' : rate >= 0.8 ? 'orange' : 'red';
  return { ...shown, message, color };
}
