import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { anonymousBodyLimit } from '../../http/api-scope.js';
import { isFromThisMachine } from '../../http/loopback.js';
import { RestAnswer, withMessage, type RestHandlers } from '../../http/rest.js';
import { isAppError } from '../../shared/errors.js';
import type { SetupInput, SetupService, SetupStatus } from './setup.service.js';

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

export const setupBody = z
  .object({
    username: z.string().default(''),
    password: z.string().default(''),
    confirmPassword: z.string().default(''),
    SelfUseModeEnabled: z.boolean().default(false),
    DemoSiteEnabled: z.boolean().default(false),
    /** An addition to the older consoles' API: required from another machine. */
    setup_code: z.string().max(100).default(''),
  })
  .transform((body): SetupInput => ({
    username: body.username,
    password: body.password,
    confirmPassword: body.confirmPassword,
    selfUseModeEnabled: body.SelfUseModeEnabled,
    demoSiteEnabled: body.DemoSiteEnabled,
    code: body.setup_code,
  }));

const toWire = ({ status, rootInit, databaseType }: SetupStatus): Record<string, unknown> => ({
  status,
  root_init: rootInit,
  database_type: databaseType,
});
