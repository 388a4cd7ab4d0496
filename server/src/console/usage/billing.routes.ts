import type { FastifyPluginAsync, preHandlerAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { secondsOrZero } from '../../shared/clock.js';
import { flag, int, named, parameter, quota, seconds, text, type Wire } from '../../platform/http/openapi/operation.js';
import { toFailure } from '../../platform/http/rest-error.js';
import { RestAnswer, type RestContext, type RestHandlers } from '../../platform/http/rest.js';
import { restRoutes, routesFor } from '../../platform/http/route.js';
import type { HeldKey } from '../tokens/index.js';
import type { Billing, BillingService, Generation, KeySpend } from './billing.service.js';

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

const usd = (meaning: string): z.ZodNumber => z.number().describe(`${meaning}, in USD`);

const credits = named('OpenRouterCredits', 'The balance that a key may use, in the form of OpenRouter.', {
  total_credits: usd('Remaining and used'),
  total_usage: usd('Used'),
});

const keyInfo = named('OpenRouterKey', 'An API key, in the form of OpenRouter.', {
  label: text('Name of the key'),
  limit: usd('Limit of the key; null without one').nullable(),
  limit_remaining: usd('Remaining; null without a limit').nullable(),
  limit_reset: z.null().describe('Limits of keys are not renewed'),
  usage: usd('Used'),
  usage_daily: usd('Used this day, in UTC'),
  usage_weekly: usd('Used since Monday, in UTC'),
  usage_monthly: usd('Used this month, in UTC'),
  byok_usage: z.literal(0),
  byok_usage_daily: z.literal(0),
  byok_usage_weekly: z.literal(0),
  byok_usage_monthly: z.literal(0),
  include_byok_in_limit: flag('Always false'),
  is_free_tier: flag('Always false'),
  is_provisioning_key: flag('Always false'),
  is_management_key: flag('Always false'),
  expires_at: text('Expiry in ISO 8601; null for never').nullable(),
});

/** OpenRouter's form of November 2026 (https://openrouter.ai/docs/api-reference/get-a-generation). */
const generation = named('OpenRouterGeneration', 'A charged call, in the form of OpenRouter.', {
  id: text('As it was asked for'),
  created_at: text('Time of the charge in ISO 8601'),
  model: text('Requested model'),
  total_cost: usd('Charge'),
  usage: usd('Charge'),
  tokens_prompt: int('Tokens of the input'),
  tokens_completion: int('Tokens of the output'),
  native_tokens_prompt: int('Tokens of the input'),
  native_tokens_completion: int('Tokens of the output'),
  native_tokens_cached: int('Tokens of the input that were read from the cache'),
  native_tokens_reasoning: int('Tokens of the output that are reasoning'),
  streamed: flag('Whether the response was streamed'),
  cancelled: flag('Whether the client disconnected'),
  generation_time: int('Duration in milliseconds'),
  latency: int('Milliseconds to the first data; the duration where that is not known'),
  is_byok: flag('Always false'),
  origin: z.literal(''),
  upstream_id: z.null(),
  provider_name: z.null(),
  cache_discount: z.null(),
  upstream_inference_cost: z.null(),
  app_id: z.null(),
  finish_reason: z.null(),
  native_finish_reason: z.null(),
  moderation_latency: z.null(),
  num_media_prompt: z.null(),
  num_media_completion: z.null(),
  num_search_results: z.null(),
});

/** Balances of an API key, as programs ask OpenRouter for them (docs/reference/rest/logs-and-usage.md#openrouter-style-balance). */
export const openRouterRoutes = [
  route('GET /v1/credits', {
    ...caller,
    summary: 'Balance of a key, in the form of OpenRouter',
    ownFailure: failureOf('veloera_error'),
    response: z.object({ data: credits }),
    example: {},
    handle: async (billing, { request }) => {
      const { granted, used } = await billing.readCredits(request.headers.authorization ?? '', request.ip);
      return { data: { total_credits: granted, total_usage: used } };
    },
  }),
  ...(['/v1/key', '/v1/auth/key'] as const).map((path) =>
    route(`GET ${path}`, {
      ...caller,
      summary: 'A key, in the form of OpenRouter',
      ownFailure: failureOf('veloera_error'),
      response: z.object({ data: keyInfo }),
      example: {},
      handle: async (billing, { request }) => ({
        data: toKeyInfo(await billing.readSpend(request.headers.authorization ?? '', request.ip)),
      }),
    }),
  ),
  route('GET /v1/generation', {
    ...caller,
    summary: 'A call of a key, in the form of OpenRouter',
    query: { id: parameter.required('Id of the request') },
    ownFailure: failureOf('veloera_error'),
    response: z.object({ data: generation }),
    example: { query: { id: 'none' } },
    handle: async (billing, { request, query }) => ({
      data: toGeneration(await billing.readGeneration(request.headers.authorization ?? '', request.ip, query.id)),
    }),
  }),
];

const toGeneration = (call: Generation): Wire<typeof generation> => ({
  id: call.id,
  created_at: call.createdAt.toISOString(),
  model: call.model,
  total_cost: call.cost,
  usage: call.cost,
  tokens_prompt: call.promptTokens,
  tokens_completion: call.completionTokens,
  native_tokens_prompt: call.promptTokens,
  native_tokens_completion: call.completionTokens,
  native_tokens_cached: call.cachedTokens,
  native_tokens_reasoning: call.reasoningTokens,
  streamed: call.isStream,
  cancelled: call.isCancelled,
  generation_time: call.duration,
  latency: call.firstByte ?? call.duration,
  is_byok: false,
  origin: '',
  upstream_id: null,
  provider_name: null,
  cache_discount: null,
  upstream_inference_cost: null,
  app_id: null,
  finish_reason: null,
  native_finish_reason: null,
  moderation_latency: null,
  num_media_prompt: null,
  num_media_completion: null,
  num_search_results: null,
});

const toKeyInfo = ({ name, limit, used, day, week, month, expiresAt }: KeySpend): Wire<typeof keyInfo> => ({
  label: name,
  limit,
  limit_remaining: limit === null ? null : limit - used,
  limit_reset: null,
  usage: used,
  usage_daily: day,
  usage_weekly: week,
  usage_monthly: month,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
  is_free_tier: false,
  is_provisioning_key: false,
  is_management_key: false,
  expires_at: expiresAt?.toISOString() ?? null,
});

/** Serves the balances of keys that are outside of `/api`. */
export const keyBalances =
  (billingService: BillingService, limit: preHandlerAsyncHookHandler, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.addHook('preHandler', limit);
    app.addHook('preHandler', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    await app.register(restRoutes([...billingRoutes, ...openRouterRoutes], billingService, rest));
  };

/** Statuses that differ from those of the console. */
const statusOfKeys: Readonly<Partial<Record<string, number>>> = { USER_BANNED: 403, NOT_FOUND: 404 };

/**
 * Returns how routes that take an API key report failures: in the form of OpenAI.
 * @param type of failures that are not about the key
 */
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
    return new RestAnswer({ error: body }, statusOfKeys[code] ?? status);
  };
}
