import { z } from 'zod';
import {
  parameter,
  quota,
  text,
  type ApiOperation,
  type ApiOperations,
  type ApiSection,
} from '../../platform/http/openapi/operation.js';
import { paymentMethodIds, paymentProviders } from '../../billing/payments/index.js';
import { amountBody, payBody } from './wallet.wire.js';

const notPaid = z.object({ success: z.literal(false), message: z.literal('error'), data: text('Why') });
const paid = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), message: z.literal('success'), data });

/** The callback of each provider. */
const callbacks: ApiOperations = Object.fromEntries(
  paymentProviders.flatMap(({ name, callbackParameters }) => {
    const words = Object.entries(callbackParameters).map(
      ([field, meaning]) => [field, parameter.words(meaning)] as const,
    );
    const callback: ApiOperation = {
      summary: "The payment gateway's message that an order was paid",
      role: 'anonymous',
      query: Object.fromEntries(words),
      media: 'text/plain',
      example: {},
    };
    return [
      [`GET /api/user/${name}/notify`, callback],
      [`POST /api/user/${name}/notify`, { ...callback, description: 'The fields come as a form.' }],
    ];
  }),
);

const checkedIn = z.object({ checkin_date: text('Day in UTC'), quota_awarded: quota('Credited') });

/** Online top-up, check-in and invites. */
export const walletSection: ApiSection = {
  name: 'Wallet',
  description: 'How users get balance.',
  operations: {
    'POST /api/user/amount': {
      summary: 'What a top-up costs',
      role: 'common',
      body: amountBody,
      response: z.union([paid(text('Amount of money')), notPaid]),
      example: { body: { amount: 10 } },
    },
    'POST /api/user/pay': {
      summary: 'Start an online top-up',
      description: 'The client posts the fields to `url`, the page of the payment gateway.',
      role: 'common',
      once: true,
      body: payBody,
      response: z.union([paid(z.record(z.string(), z.string())).extend({ url: z.string() }), notPaid]),
      example: { body: { amount: 10, payment_method: paymentMethodIds[0] } },
    },
    ...callbacks,
    'GET /api/user/check_in_status': {
      summary: 'Whether the caller may check in today',
      role: 'common',
      data: z.object({ can_check_in: z.boolean() }),
      example: {},
    },
    'POST /api/user/check_in': {
      summary: 'Check in for the reward of the day',
      role: 'common',
      data: z.object({ quota: quota('Credited') }),
      errors: ['INVALID_INPUT'],
      example: { fails: 'INVALID_INPUT' },
    },
    'GET /api/user/checkin': {
      summary: 'Check-ins of a month, as new-api reports them',
      role: 'common',
      query: { month: parameter.words('Such as `2026-11`; this month when absent') },
      data: z.object({
        enabled: z.boolean(),
        min_quota: quota('Smallest reward'),
        max_quota: quota('Largest reward'),
        stats: z.object({
          checked_in_today: z.boolean(),
          total_checkins: z.int(),
          total_quota: quota('Credited in all months'),
          checkin_count: z.int().describe('Check-ins of the month'),
          records: z.array(checkedIn),
        }),
      }),
      example: { query: { month: '2026-11' } },
    },
    'POST /api/user/checkin': {
      summary: 'Check in, as clients of new-api do',
      role: 'common',
      data: checkedIn,
      errors: ['INVALID_INPUT'],
      example: { fails: 'INVALID_INPUT' },
    },
  },
};
