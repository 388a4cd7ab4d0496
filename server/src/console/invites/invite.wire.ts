import { z } from 'zod';

/** `POST /api/user/aff_transfer`. */
export const transferBody = z.object({ quota: z.int() });
