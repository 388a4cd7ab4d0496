import { z } from 'zod';
import { parameter } from '../../platform/http/openapi/operation.js';
import { RestAnswer } from '../../platform/http/rest.js';
import { routesFor } from '../../platform/http/route.js';
import { secondsIn } from '../../shared/clock.js';
import { isAppError, type ErrorCode } from '../../shared/errors.js';
import type { ChannelServices } from './channel-services.js';
import { channelShape, discoverBody, noMessage, withoutMessage } from './channel.wire.js';

const route = routesFor<ChannelServices>();
const writes = { may: 'channels.write' } as const;

const upstreamErrors: readonly ErrorCode[] = ['UPSTREAM_ERROR', 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT'];
const discoveryErrors: readonly ErrorCode[] = [...upstreamErrors, 'UPSTREAM_INVALID_RESPONSE'];

/** Routes of `/api/channel` that call the providers of channels (docs/reference/rest/channels.md). */
export const channelProviderRoutes = [
  route('GET /api/channel/fetch_models/:id', {
    summary: "Ask a channel's provider for its models",
    caller: writes,
    withoutHead: true,
    data: z.array(z.string()),
    errors: ['NOT_FOUND', ...discoveryErrors],
    example: { path: { id: 999_999 }, fails: 'NOT_FOUND' },
    handle: ({ discovery }, { actor, id }) => discovery.ofChannel(actor, id),
  }),
  route('POST /api/channel/fetch_models', {
    summary: 'Ask a provider for its models',
    description: 'Of several keys the first is used. A body that cannot be read is status 400.',
    caller: writes,
    body: discoverBody,
    bodyOf: channelShape,
    response: noMessage(z.array(z.string())),
    ownFailure: (error) =>
      error instanceof z.ZodError ? new RestAnswer({ success: false, message: 'Invalid request' }, 400) : undefined,
    errors: discoveryErrors,
    example: { body: { type: 1, base_url: 'http://127.0.0.1:9', key: 'sk-none' }, fails: 'UPSTREAM_UNREACHABLE' },
    handle: async ({ discovery }, { actor, body }) => withoutMessage(await discovery.ofForm(actor, body)),
  }),
  route('GET /api/channel/test/:id', {
    summary: 'Send a small real call through a channel',
    caller: writes,
    withoutHead: true,
    query: { model: parameter.words('Model; absent: the test model of the channel') },
    response: z.object({
      success: z.boolean().describe('The provider answered'),
      message: z.string().describe('Why the test failed, or empty'),
      time: z.number().describe('Duration in seconds'),
    }),
    example: { path: { id: 999_999 } },
    handle: async ({ tests }, { actor, id, query }) => {
      const { success, message, milliseconds } = await tests.test(actor, id, query.model).catch(asFailedTest);
      return { success, message, time: secondsIn(milliseconds) };
    },
  }),
  route('GET /api/channel/test', {
    summary: 'Test all channels in the background',
    description: 'Refused while a test is running. `channelTestRun` of GraphQL has its progress.',
    caller: writes,
    withoutHead: true,
    errors: ['CONFLICT'],
    example: {},
    handle: async ({ schedules }, { actor }) => {
      await schedules.startTests(actor);
    },
  }),
  route('GET /api/channel/update_balance/:id', {
    summary: "Read a channel's balance from its provider",
    description: 'Types without a call for it fail.',
    caller: writes,
    withoutHead: true,
    response: z.object({ success: z.literal(true), message: z.string(), balance: z.number() }),
    errors: ['NOT_FOUND', 'NOT_IMPLEMENTED', ...upstreamErrors],
    example: { path: { id: 999_999 }, fails: 'NOT_FOUND' },
    handle: async ({ balances }, { actor, id }) => {
      const balance = await balances.update(actor, id);
      return { success: true, message: '', balance } as const;
    },
  }),
  route('GET /api/channel/update_balance', {
    summary: 'Read the balances of all channels in the background',
    caller: writes,
    withoutHead: true,
    errors: ['CONFLICT'],
    example: {},
    handle: async ({ schedules }, { actor }) => {
      await schedules.startBalances(actor);
    },
  }),
];

/** Returns a test that could not be run in the shape of a failed test. */
function asFailedTest(error: unknown): { success: false; message: string; milliseconds: number } {
  if (!isAppError(error) || error.code === 'INTERNAL_ERROR') throw error;
  return { success: false, message: error.message, milliseconds: 0 };
}
