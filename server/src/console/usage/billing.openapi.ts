import { z } from 'zod';
import {
  flag,
  named,
  quota,
  seconds,
  text,
  type ApiOperation,
  type ApiSection,
} from '../../platform/http/openapi/operation.js';

const subscription: ApiOperation = {
  summary: 'Limit of a key, in the form of OpenAI',
  role: 'key',
  response: named('Subscription', "Limits of a key in USD, or in quota, by the site's settings.", {
    object: z.literal('billing_subscription'),
    has_payment_method: z.literal(true),
    soft_limit_usd: z.number(),
    hard_limit_usd: z.number(),
    system_hard_limit_usd: z.number(),
    access_until: seconds('Expiry; 0 for never'),
  }),
  example: {},
};
const used: ApiOperation = {
  summary: 'Usage of a key, in the form of OpenAI',
  role: 'key',
  response: named('BilledUsage', 'What a key has used.', {
    object: z.literal('list'),
    total_usage: z.number().describe('Cents'),
  }),
  example: {},
};

/** Figures of an API key, for its holder. */
export const billingSection: ApiSection = {
  name: 'Usage of a key',
  description: 'Called with an API key. Balance tools read these.',
  operations: {
    'GET /api/usage/token': {
      summary: 'Figures of a key',
      role: 'key',
      response: z.object({
        success: z.literal(true),
        code: z.literal(true),
        message: z.string(),
        data: named('KeyUsage', 'Figures of an API key.', {
          object: z.literal('token_usage').describe('Always `token_usage`'),
          name: text('Name of the key'),
          total_granted: quota('Remaining and used'),
          total_used: quota('Used'),
          total_available: quota('Remaining'),
          unlimited_quota: flag('The key has no limit of its own'),
          model_limits: z
            .record(z.string(), z.literal(true))
            .describe('Models that may be called, each with the value true'),
          model_limits_enabled: flag('Only the models of `model_limits` may be called'),
          expires_at: seconds('Expiry; 0 for never'),
        }),
      }),
      example: {},
    },
    'GET /v1/dashboard/billing/subscription': subscription,
    'GET /v1/dashboard/billing/usage': used,
    'GET /dashboard/billing/subscription': subscription,
    'GET /dashboard/billing/usage': used,
  },
};
