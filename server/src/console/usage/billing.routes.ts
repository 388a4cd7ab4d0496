import type { FastifyPluginAsync, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { unixSeconds } from '../../shared/clock.js';
import { toFailure } from '../../platform/http/rest-error.js';
import { RestAnswer, type RestHandlers } from '../../platform/http/rest.js';
import type { HeldKey } from '../tokens/index.js';
import type { Billing, BillingService } from './billing.service.js';

/**
 * `/dashboard/billing` and `/v1/dashboard/billing`, called with an API key
 * (docs/reference/rest/logs-and-usage.md#openai-style-billing).
 */
export const billingRoutes =
  (billingService: BillingService, limit: preHandlerAsyncHookHandler): FastifyPluginAsync =>
  async (app) => {
    const answer =
      (type: string, show: (billing: Billing) => unknown) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        reply.header('cache-control', 'no-store');
        try {
          return await reply.send(show(await billingService.read(request.headers.authorization ?? '')));
        } catch (error) {
          return sendFailure(error, type, request, reply);
        }
      };

    for (const prefix of ['/dashboard/billing', '/v1/dashboard/billing']) {
      app.get(`${prefix}/subscription`, { preHandler: limit }, answer('upstream_error', toSubscription));
      app.get(`${prefix}/usage`, { preHandler: limit }, answer('veloera_error', toUsage));
    }
  };

/** `/api/usage/token`, called with an API key by clients of new-api (docs/reference/rest/logs-and-usage.md#usage-of-a-key). */
export const keyUsageRoutes =
  (billingService: BillingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/token',
      rest.open(async ({ request }) => {
        const key = await billingService.readKey(request.headers.authorization ?? '');
        return new RestAnswer({ success: true, code: true, message: 'ok', data: toKeyUsage(key) });
      }),
    );
  };

const toKeyUsage = (key: HeldKey): unknown => ({
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

const toSubscription = ({ limit, accessUntil }: Billing): unknown => ({
  object: 'billing_subscription',
  has_payment_method: true,
  soft_limit_usd: limit,
  hard_limit_usd: limit,
  system_hard_limit_usd: limit,
  access_until: secondsOrZero(accessUntil),
});

const toUsage = ({ used }: Billing): unknown => ({ object: 'list', total_usage: used });

function sendFailure(error: unknown, type: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, code, retryAfterSeconds } = toFailure(error);
  if (code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'unexpected failure');
  if (retryAfterSeconds) reply.header('Retry-After', String(retryAfterSeconds));
  const refused = status === 401 || code === 'USER_BANNED';
  return reply.status(code === 'USER_BANNED' ? 403 : status).send({
    error: {
      message: `${message} (request id: ${request.id})`,
      type: refused ? 'veloera_error' : type,
      param: '',
      code: null,
    },
  });
}
