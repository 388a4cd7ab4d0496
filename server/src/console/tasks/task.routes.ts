import { listOf } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { CreativeTaskService } from './creative-task.service.js';
import type { DrawingService } from './drawing.service.js';
import {
  creativeTaskQuery,
  creativeTaskShape,
  drawingQuery,
  drawingShape,
  ofChannel,
  toCreativeTaskFilter,
  toCreativeTaskWire,
  toDrawingFilter,
  toDrawingWire,
} from './task.wire.js';

/** Lists have ten rows, unless the client reads pages of new-api. */
const form = { fixedSize: 10 };
const caller = { may: 'tasks.read' } as const;
const drawingRoute = routesFor<DrawingService>();
const taskRoute = routesFor<CreativeTaskService>();

/** `/api/mj` (docs/reference/rest/logs-and-usage.md#drawing-tasks). */
export const drawingRoutes = [
  drawingRoute('GET /api/mj', {
    summary: 'Drawings of all users',
    caller,
    query: { ...drawingQuery, ...ofChannel },
    data: listOf(drawingShape),
    example: {},
    handle: (drawings, { actor, query, request }) =>
      wirePage(request, query, form, toDrawingWire, (page) => drawings.list(actor, toDrawingFilter(query), page)),
  }),
  drawingRoute('GET /api/mj/self', {
    summary: 'Own drawings',
    caller: 'user',
    query: drawingQuery,
    data: listOf(drawingShape),
    example: {},
    handle: (drawings, { actor, query, request }) =>
      wirePage(request, query, form, toDrawingWire, (page) => drawings.listOwn(actor, toDrawingFilter(query), page)),
  }),
];

/** `/api/task` (docs/reference/rest/logs-and-usage.md#creative-tasks). */
export const creativeTaskRoutes = [
  taskRoute('GET /api/task', {
    summary: 'Creative tasks of all users',
    caller,
    query: { ...creativeTaskQuery, ...ofChannel },
    data: listOf(creativeTaskShape),
    example: {},
    handle: (tasks, { actor, query, request }) =>
      wirePage(request, query, form, toCreativeTaskWire, (page) =>
        tasks.list(actor, toCreativeTaskFilter(query), page),
      ),
  }),
  taskRoute('GET /api/task/self', {
    summary: 'Own creative tasks',
    caller: 'user',
    query: creativeTaskQuery,
    data: listOf(creativeTaskShape),
    example: {},
    handle: (tasks, { actor, query, request }) =>
      wirePage(request, query, form, toCreativeTaskWire, (page) =>
        tasks.listOwn(actor, toCreativeTaskFilter(query), page),
      ),
  }),
];
