import type { FastifyPluginAsync, preHandlerAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { unixSeconds } from '../../shared/clock.js';
import { flag, named, quota, seconds, text, type Wire } from '../../platform/http/openapi/operation.js';
import { toFailure } from '../../platform/http/rest-error.js';
import { RestAnswer, type RestContext, type RestHandlers } from '../../platform/http/rest.js';
import { restRoutes, routesFor } from '../../platform/http/route.js';
import type { HeldKey } from '../tokens/index.js';
import type { Billing, BillingService } from './billing.service.js';

const route = routesFor<BillingService>();
/** The services find the key. */
const caller = { caller: 'open', role: 'key' } as const;

const keyUsage = named('KeyUsage', 'Figures of an API key.', {
  object: z.literal('token_usage').describe('Always `token_usage`'),
  name: text('Name of the key'),
  total_granted: quota('Remaining and used'),
  total_used: quota('Used'),
  total_available: quota('Remaining'),
  unlimited_quota: flag('The key has no limit of its own'),
  model_limits: z.record(z.string(), z.literal(true)).describe('Models that may be called, each with the value true'),
  model_limits_enabled: flag('Only the models of `model_limits` may be called'),
  expires_at: seconds('Expiry; 0 for never'),
});

/** `/api/usage/token`, called with an API key by clients of new-api (docs/reference/rest/logs-and-usage.md#usage-of-a-key). */
export const keyUsageRoutes = [
  route('GET /api/usage/token', {
    ...caller,
    summary: 'Figures of a key',
    response: z.object({ success: z.literal(true), code: z.literal(true), message: z.string(), data: keyUsage }),
    example: {},
    handle: async (billingService, { request }) => {
      const key = await billingService.readKey(request.headers.authorization ?? '');
      return { success: true as const, code: true as const, message: 'ok', data: toKeyUsage(key) };
    },
  }),
];

const toKeyUsage = (key: HeldKey): Wire<typeof keyUsage> => ({
  object: 'token_usage',
  name: key.name,
  total_granted: key.remainQuota + key.usedQuota,
  total_used: key.usedQuota,
  total_available: key.remainQuota,
  unlimited_quota: key.unlimitedQuota,
  model_limits: Object.fromEntries(key.modelLimits.map((model) => [model, true])),
  model_limits_enabled: key.modelLimitsEnabled,
  expires_at: secondsOrZero(key.expiresAt),
});

const secondsOrZero = (moment: Date | null): number => (moment ? unixSeconds(moment) : 0);

const subscription = named('Subscription', "Limits of a key in USD, or in quota, by the site's settings.", {
  object: z.literal('billing_subscription'),
  has_payment_method: z.literal(true),
  soft_limit_usd: z.number(),
  hard_limit_usd: z.number(),
  system_hard_limit_usd: z.number(),
  access_until: seconds('Expiry; 0 for never'),
});

const toSubscription = ({ limit, accessUntil }: Billing): Wire<typeof subscription> => ({
  object: 'billing_subscription',
  has_payment_method: true,
  soft_limit_usd: limit,
  hard_limit_usd: limit,
  system_hard_limit_usd: limit,
  access_until: secondsOrZero(accessUntil),
});

const billedUsage = named('BilledUsage', 'What a key has used.', {
  object: z.literal('list'),
  total_usage: z.number().describe('Cents'),
});

const toUsage = ({ used }: Billing): Wire<typeof billedUsage> => ({ object: 'list', total_usage: used });

/**
 * `/dashboard/billing` and `/v1/dashboard/billing`, called with an API key
 * (docs/reference/rest/logs-and-usage.md#openai-style-billing).
 */
export const billingRoutes = (['/v1/dashboard/billing', '/dashboard/billing'] as const).flatMap((prefix) => [
  route(`GET ${prefix}/subscription`, {
    ...caller,
    summary: 'Limit of a key, in the form of OpenAI',
    response: subscription,
    ownFailure: failureOf('upstream_error'),
    example: {},
    handle: async (billingService, { request }) =>
      toSubscription(await billingService.read(request.headers.authorization ?? '')),
  }),
  route(`GET ${prefix}/usage`, {
    ...caller,
    summary: 'Usage of a key, in the form of OpenAI',
    response: billedUsage,
    ownFailure: failureOf('veloera_error'),
    example: {},
    handle: async (billingService, { request }) =>
      toUsage(await billingService.read(request.headers.authorization ?? '')),
  }),
]);

/** Serves `billingRoutes`, which are outside of `/api`. */
export const billingDashboards =
  (billingService: BillingService, limit: preHandlerAsyncHookHandler, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.addHook('preHandler', limit);
    app.addHook('preHandler', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    await app.register(restRoutes(billingRoutes, billingService, rest));
  };

/** @param type of failures that are not about the key */
function failureOf(type: string) {
  return (error: unknown, { request, reply }: Pick<RestContext<null>, 'request' | 'reply'>): RestAnswer => {
    const { status, message, code, retryAfterSeconds } = toFailure(error);
    if (code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'unexpected failure');
    if (retryAfterSeconds) reply.header('Retry-After', String(retryAfterSeconds));
    const refused = status === 401 || code === 'USER_BANNED';
    const body = {
      message: `${message} (request id: ${request.id})`,
      type: refused ? 'veloera_error' : type,
      param: '',
      code: null,
    };
    return new RestAnswer({ error: body }, code === 'USER_BANNED' ? 403 : status);
  };
}
