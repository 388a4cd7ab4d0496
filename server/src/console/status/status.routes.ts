import { z } from 'zod';
import { routesFor } from '../../platform/http/route.js';
import type { StatusService } from './status.service.js';
import { statusShape, toWire } from './status.wire.js';

const route = routesFor<StatusService>();
const publicText = {
  caller: 'open',
  data: z.string().describe('Sanitized HTML or Markdown'),
  example: {},
} as const;

/** `/api/status` and the public texts (docs/reference/rest/public.md). */
export const statusRoutes = [
  route('GET /api/status', {
    summary: 'Public settings',
    caller: 'open',
    data: statusShape,
    example: {},
    handle: async (statusService) => toWire(await statusService.get()),
  }),
  route('GET /api/status/test', {
    summary: 'Check the database',
    description: 'Succeeds with "Server is running", or fails with 503 "Database connection failed".',
    caller: { may: 'options' },
    message: 'Server is running',
    example: {},
    handle: (statusService, { actor }) => statusService.test(actor),
  }),
  route('GET /api/notice', {
    ...publicText,
    summary: 'The notice of the site',
    handle: (statusService) => statusService.notice(),
  }),
  route('GET /api/about', {
    ...publicText,
    summary: 'The text about the site',
    handle: (statusService) => statusService.about(),
  }),
  route('GET /api/home_page_content', {
    ...publicText,
    summary: 'The text of the first page',
    handle: (statusService) => statusService.homePageContent(),
  }),
];
