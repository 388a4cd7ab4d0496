import { z } from 'zod';

/**
 * Gateways that clients of new-api call by paths of their own. No path here is one of these: every method is paid by
 * `/api/user/pay`.
 */
export const newApiFlags = { enable_stripe_topup: false, enable_creem_topup: false } as const;

export const newApiFlagFields = { enable_stripe_topup: z.literal(false), enable_creem_topup: z.literal(false) };
