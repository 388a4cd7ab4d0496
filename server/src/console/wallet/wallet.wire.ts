import { z } from 'zod';
import { text } from '../../platform/http/openapi/operation.js';

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

export const success = { success: true, message: 'success' } as const;
export const notPaid = (data: string): z.output<typeof refusal> => ({ success: false, message: 'error', data });
