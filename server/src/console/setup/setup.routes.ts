import { z } from 'zod';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { assertNotForeignPage } from '../../platform/http/authenticate.js';
import { isFromThisMachine } from '../../platform/http/loopback.js';
import { RestAnswer } from '../../platform/http/rest.js';
import { routesFor } from '../../platform/http/route.js';
import { isAppError } from '../../shared/errors.js';
import type { SetupService } from './setup.service.js';
import { setupBody, statusShape, toWire } from './setup.wire.js';

const route = routesFor<SetupService>();

/** `/api/setup` (docs/reference/rest/public.md#first-start). Invalid input is HTTP 400 here. */
export const setupRoutes = [
  route('GET /api/setup', {
    summary: 'Whether the site is set up',
    caller: 'open',
    response: z.object({ success: z.literal(true), data: statusShape }),
    example: {},
    handle: async (setupService) => ({ success: true as const, data: toWire(await setupService.status()) }),
  }),
  route('POST /api/setup', {
    summary: 'Set up a new site',
    description:
      'Creates the root user. From another machine it needs the set-up code that the server prints at start.',
    caller: 'open',
    bodyLimit: anonymousBodyLimit,
    body: setupBody,
    message: 'System initialised',
    errors: ['ALREADY_SET_UP', 'SETUP_CODE_NEEDED'],
    example: {
      body: { username: 'root', password: 'long enough', confirmPassword: 'long enough' },
      fails: 'ALREADY_SET_UP',
    },
    before: async (setupService, { request }) => {
      assertNotForeignPage(request);
      return (await setupService.isDone()) ? refused('System is already initialised', 'ALREADY_SET_UP') : undefined;
    },
    ownFailure: (error) => {
      if (error instanceof z.ZodError) return refused('Invalid request parameters', 'INVALID_INPUT');
      return isAppError(error) && refusals.has(error.code) ? refused(error.message, error.code) : undefined;
    },
    handle: async (setupService, { body, request }) => {
      await setupService.complete(body, isFromThisMachine(request));
    },
  }),
];

const refusals: ReadonlySet<string> = new Set(['INVALID_INPUT', 'SETUP_CODE_NEEDED']);

const refused = (message: string, code: string): RestAnswer => new RestAnswer({ success: false, message, code }, 400);
