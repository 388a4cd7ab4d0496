import { z } from 'zod';
import { nullish } from '../../platform/http/openapi/operation.js';

/** `POST /api/user/register`. */
export const registerBody = z
  .object({
    username: z.string(),
    password: z.string(),
    email: nullish.text,
    verification_code: nullish.text,
    aff_code: nullish.text,
  })
  .transform(({ username, password, email, verification_code: code, aff_code: affCode }) => ({
    username,
    password,
    email: email ?? undefined,
    verificationCode: code ?? undefined,
    affCode: affCode ?? undefined,
  }));

/** `POST /api/user/reset`. */
export const resetBody = z.object({ email: z.string().min(1).max(200), token: z.string().min(1).max(200) });
