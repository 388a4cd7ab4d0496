import type { FastifyPluginAsync } from 'fastify';
import { withMessage, type RestHandlers } from '../../platform/http/rest.js';
import type { StatusService } from './status.service.js';
import { toWire } from './status.wire.js';

/** `/api/status` and the public texts (docs/reference/rest/public.md). */
export const statusRoutes =
  (statusService: StatusService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/status',
      rest.open(async () => toWire(await statusService.get())),
    );

    app.get(
      '/status/test',
      rest.may('options', async ({ actor }) => {
        await statusService.test(actor);
        return withMessage('Server is running');
      }),
    );

    app.get(
      '/notice',
      rest.open(() => statusService.notice()),
    );

    app.get(
      '/about',
      rest.open(() => statusService.about()),
    );

    app.get(
      '/home_page_content',
      rest.open(() => statusService.homePageContent()),
    );
  };
