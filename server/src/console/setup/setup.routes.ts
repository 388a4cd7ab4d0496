import type { FastifyPluginAsync } from 'fastify';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { assertNotForeignPage } from '../../platform/http/authenticate.js';
import { isFromThisMachine } from '../../platform/http/loopback.js';
import { RestAnswer, withMessage, type RestHandlers } from '../../platform/http/rest.js';
import { isAppError } from '../../shared/errors.js';
import type { SetupService, SetupStatus } from './setup.service.js';
import { setupBody } from './setup.wire.js';

/** `/api/setup` (docs/reference/rest/public.md#first-start). Invalid input is HTTP 400 here. */
export const setupRoutes =
  (setupService: SetupService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/setup',
      rest.open(async () => new RestAnswer({ success: true, data: toWire(await setupService.status()) })),
    );

    app.post('/setup', {
      bodyLimit: anonymousBodyLimit,
      handler: rest.open(async ({ body, request }) => {
        assertNotForeignPage(request);
        if (await setupService.isDone()) return refused('System is already initialised', 'ALREADY_SET_UP');
        const input = setupBody.safeParse(body);
        if (!input.success) return refused('Invalid request parameters', 'INVALID_INPUT');
        try {
          await setupService.complete(input.data, isFromThisMachine(request));
        } catch (error) {
          if (isAppError(error) && refusals.has(error.code)) return refused(error.message, error.code);
          throw error;
        }
        return withMessage('System initialised');
      }),
    });
  };

const refusals: ReadonlySet<string> = new Set(['INVALID_INPUT', 'SETUP_CODE_NEEDED']);

const refused = (message: string, code: string): RestAnswer => new RestAnswer({ success: false, message, code }, 400);

const toWire = ({ status, rootInit, databaseType }: SetupStatus): Record<string, unknown> => ({
  status,
  root_init: rootInit,
  database_type: databaseType,
});
