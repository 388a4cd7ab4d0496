import type { FastifyPluginAsync } from 'fastify';
import { wireList } from '../../platform/http/paging.js';
import type { RestContext, RestHandlers } from '../../platform/http/rest.js';
import type { Actor } from '../../shared/actor.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { CreativeTaskService } from './creative-task.service.js';
import type { DrawingService } from './drawing.service.js';
import { toCreativeTaskFilter, toCreativeTaskWire, toDrawingFilter, toDrawingWire } from './task.wire.js';

/** Returns a page of tasks: ten rows, unless the client reads pages of new-api. */
async function answer<Task>(
  { request, query }: RestContext<Actor>,
  read: (page: ListQuery<never>) => Promise<Slice<Task>>,
  toWire: (task: Task) => unknown,
): Promise<unknown> {
  const { page, pageSize, answer } = wireList(request, query, { fixedSize: 10 });
  const { items, total } = await read({ page, pageSize, after: null, sort: [] });
  return answer(items.map(toWire), total);
}

/** `/api/mj` (docs/reference/rest/logs-and-usage.md#drawing-tasks). */
export const drawingRoutes =
  (drawings: DrawingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user((context) =>
        answer(context, (page) => drawings.list(context.actor, toDrawingFilter(context.query), page), toDrawingWire),
      ),
    );
    app.get(
      '/self',
      rest.user((context) =>
        answer(context, (page) => drawings.listOwn(context.actor, toDrawingFilter(context.query), page), toDrawingWire),
      ),
    );
  };

/** `/api/task` (docs/reference/rest/logs-and-usage.md#creative-tasks). */
export const creativeTaskRoutes =
  (tasks: CreativeTaskService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user((context) =>
        answer(
          context,
          (page) => tasks.list(context.actor, toCreativeTaskFilter(context.query), page),
          toCreativeTaskWire,
        ),
      ),
    );
    app.get(
      '/self',
      rest.user((context) =>
        answer(
          context,
          (page) => tasks.listOwn(context.actor, toCreativeTaskFilter(context.query), page),
          toCreativeTaskWire,
        ),
      ),
    );
  };
