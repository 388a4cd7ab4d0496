import { createHash } from 'node:crypto';

/** OpenAI accepts 64 characters, and no other provider accepts fewer. */
const maxLength = 64;

/** Replaces a long name of an end user by a hash, which still distinguishes users. */
export const shortUserId = (user: string): string =>
  user.length > maxLength ? createHash('sha256').update(user).digest('hex') : user;
