import { z } from 'zod';
import { flag, text } from '../../platform/http/openapi/operation.js';

/** Old clients also send `top_up_code`, which is ignored. */
export const amountBody = z.object({ amount: z.int() });
export const payBody = z.object({ amount: z.int(), payment_method: z.string() });

/**
 * The two endpoints of a top-up have their own response shape
 * (docs/reference/rest/tokens-and-wallet.md#online-top-up); `success` is an addition.
 */
const refusal = z.object({ success: z.literal(false), message: z.literal('error'), data: text('Why') });
const paid = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), message: z.literal('success'), data });

export const topUpPrice = z.union([paid(text('Amount of money')), refusal]);
export const startedPayment = z.union([paid(z.record(z.string(), z.string())).extend({ url: z.string() }), refusal]);

/** The ways to pay in the form of new-api, whose providers other than Epay do not exist here. */
export const topUpInfo = z.object({
  enable_online_topup: flag('A way to pay is offered'),
  enable_stripe_topup: z.literal(false),
  enable_creem_topup: z.literal(false),
  pay_methods: z.array(
    z.object({ name: text('The text that buyers read'), type: text('The `payment_method` of `/api/user/pay`') }),
  ),
  min_topup: z.number().describe('Smallest top-up in USD'),
  amount_options: z.array(z.number()).describe('Always empty: any amount may be paid'),
  discount: z.record(z.string(), z.number()).describe('Always empty'),
});

export const success = { success: true, message: 'success' } as const;
export const notPaid = (data: string): z.output<typeof refusal> => ({ success: false, message: 'error', data });
