import type { FastifyPluginAsync } from 'fastify';
import { sendCsv } from '../../platform/http/csv.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import type { HourlyModelsService } from './hourly-models.service.js';
import type { UsageQuestion } from './usage-question.js';
import type { UsageService } from './usage.service.js';
import { toQuestion, toRange, toWire } from './usage.wire.js';

/** `/api/data`: hourly sums for the old dashboards (docs/reference/rest/logs-and-usage.md#usage-data). */
export const usageRoutes =
  (usageService: UsageService, hourlyModels: HourlyModelsService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.may('usage.read', async ({ actor, query }) => {
        const name = query.username || undefined;
        const { userId, rows } = await hourlyModels.list(actor, toRange(query), name);
        return toWire(rows, name === undefined ? undefined : { id: userId, name });
      }),
    );
    app.get(
      '/export',
      rest.may('usage.read', async ({ actor, query, reply }) =>
        sendCsv(reply, 'usage', usageService.exportAll(actor, toQuestion(query, usageService.now))),
      ),
    );
    app.get(
      '/self/export',
      rest.user(async ({ actor, query, reply }) =>
        sendCsv(reply, 'usage', usageService.exportOwn(actor, ownQuestion(toQuestion(query, usageService.now)))),
      ),
    );
    app.get(
      '/self',
      rest.user(async ({ actor, query }) => {
        const rows = await hourlyModels.listOwn(actor, toRange(query));
        return toWire(rows, { id: actor.id, name: actor.username });
      }),
    );
  };

/** Returns the query of an export of own usage, which ignores filters for the whole site, as in older consoles. */
const ownQuestion = (question: UsageQuestion): UsageQuestion => {
  const { tokenIds, models, groups } = question.filter;
  return {
    ...question,
    filter: { ...(tokenIds && { tokenIds }), ...(models && { models }), ...(groups && { groups }) },
  };
};
