import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, withMessage, type RestHandlers } from '../../platform/http/rest.js';
import { optionPermissions } from '../../options/option-permissions.js';
import type { OptionService } from '../../options/option.service.js';
import { givenValue, optionBody, toWire } from './option.wire.js';

/** `/api/option` (docs/reference/rest/options.md#endpoints). */
export const optionRoutes =
  (optionService: OptionService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.may(optionPermissions, async ({ actor }) => toWire(optionService.list(actor))),
    );

    app.put(
      '/',
      rest.may(optionPermissions, async ({ actor, body }) => {
        const option = optionBody.safeParse(body);
        if (!option.success) return new RestAnswer({ success: false, message: 'Invalid parameter' }, 400);
        const value = givenValue(option.data);
        if (value === undefined) optionService.assertMayWrite(actor, option.data.key);
        else await optionService.set(actor, option.data.key, value);
      }),
    );

    app.post(
      '/rest_model_ratio',
      rest.root(async ({ actor }) => {
        await optionService.resetModelRatio(actor);
        return withMessage('Model ratios reset');
      }),
    );
  };
