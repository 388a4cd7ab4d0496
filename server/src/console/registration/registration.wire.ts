import { z } from 'zod';

const text = z.string().nullish();

/** `POST /api/user/register`. */
export const registerBody = z
  .object({ username: z.string(), password: z.string(), email: text, verification_code: text, aff_code: text })
  .transform(({ username, password, email, verification_code: code, aff_code: affCode }) => ({
    username,
    password,
    email: email ?? undefined,
    verificationCode: code ?? undefined,
    affCode: affCode ?? undefined,
  }));

/** `POST /api/user/reset`. */
export const resetBody = z.object({ email: z.string().min(1).max(200), token: z.string().min(1).max(200) });
