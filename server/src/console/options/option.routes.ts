import { z } from 'zod';
import { RestAnswer } from '../../platform/http/rest.js';
import { routesFor } from '../../platform/http/route.js';
import { optionPermissions } from '../../options/option-permissions.js';
import type { OptionService } from '../../options/option.service.js';
import { givenValue, optionBody, optionShape, toWire } from './option.wire.js';

const route = routesFor<OptionService>();
const caller = { may: optionPermissions };

/** `/api/option` (docs/reference/rest/options.md#endpoints). */
export const optionRoutes = [
  route('GET /api/option', {
    summary: 'All options but secrets',
    caller,
    data: z.array(optionShape),
    example: {},
    handle: async (optionService, { actor }) => toWire(optionService.list(actor)),
  }),
  route('PUT /api/option', {
    summary: 'Set an option',
    description: 'Booleans and numbers are stored as text. Root alone writes options that concern safety.',
    caller,
    body: optionBody,
    bodyOf: optionShape,
    ownFailure: (error) =>
      error instanceof z.ZodError ? new RestAnswer({ success: false, message: 'Invalid parameter' }, 400) : undefined,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { body: { key: 'RetryTimes', value: 2 } },
    handle: async (optionService, { actor, body }) => {
      const value = givenValue(body);
      if (value === undefined) optionService.assertMayWrite(actor, body.key);
      else await optionService.set(actor, body.key, value);
    },
  }),
  route('POST /api/option/rest_model_ratio', {
    summary: 'Reset the model ratios to the built-in table',
    caller: 'root',
    message: 'Model ratios reset',
    example: {},
    handle: async (optionService, { actor }) => {
      await optionService.resetModelRatio(actor);
    },
  }),
];
