import { z } from 'zod';

/** Old clients also send `top_up_code`, which is ignored. */
export const amountBody = z.object({ amount: z.int() });
export const payBody = z.object({ amount: z.int(), payment_method: z.string() });
