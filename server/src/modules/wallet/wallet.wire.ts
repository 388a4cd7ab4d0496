import { z } from 'zod';

/** Old clients also send `top_up_code`, which is ignored. */
export const amountBody = z.object({ amount: z.int() });
export const payBody = z.object({ amount: z.int(), payment_method: z.string() });

/**
 * The two wallet endpoints have their own response shape (docs/reference/rest/tokens-and-wallet.md#online-top-up);
 * `success` is an addition.
 */
export const paid = (data: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  success: true,
  message: 'success',
  data,
  ...more,
});
export const notPaid = (reason: string): Record<string, unknown> => ({
  success: false,
  message: 'error',
  data: reason,
});
