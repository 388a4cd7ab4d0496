import type { FastifyPluginAsync } from 'fastify';
import { queryNumber } from '../../http/query.js';
import type { RestHandlers } from '../../http/rest.js';
import type { ListQuery } from '../../shared/page.js';
import type { CreativeTaskService } from './creative-task.service.js';
import type { DrawingService } from './drawing.service.js';
import { toCreativeTaskFilter, toCreativeTaskWire, toDrawingFilter, toDrawingWire } from './task.wire.js';

/** Ten per page; the first page is 0. */
const pageOf = (text: string | undefined): ListQuery<never> => ({
  page: Math.min(Math.max(0, queryNumber(text)), 10_000_000),
  pageSize: 10,
  after: null,
  sort: [],
});

/** `/api/mj` (docs/reference/rest/logs-and-usage.md#drawing-tasks). */
export const drawingRoutes =
  (drawings: DrawingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user(async ({ actor, query }) =>
        (await drawings.list(actor, toDrawingFilter(query), pageOf(query['p']))).items.map(toDrawingWire),
      ),
    );
    app.get(
      '/self',
      rest.user(async ({ actor, query }) =>
        (await drawings.listOwn(actor, toDrawingFilter(query), pageOf(query['p']))).items.map(toDrawingWire),
      ),
    );
  };

/** `/api/task` (docs/reference/rest/logs-and-usage.md#creative-tasks). */
export const creativeTaskRoutes =
  (tasks: CreativeTaskService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user(async ({ actor, query }) =>
        (await tasks.list(actor, toCreativeTaskFilter(query), pageOf(query['p']))).items.map(toCreativeTaskWire),
      ),
    );
    app.get(
      '/self',
      rest.user(async ({ actor, query }) =>
        (await tasks.listOwn(actor, toCreativeTaskFilter(query), pageOf(query['p']))).items.map(toCreativeTaskWire),
      ),
    );
  };
