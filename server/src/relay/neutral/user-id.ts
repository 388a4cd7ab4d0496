import { createHash } from 'node:crypto';

/** OpenAI takes 64 characters, and no provider takes fewer. */
const maxLength = 64;

/** Shortens the name of an end user to a hash where it is too long: it still tells one user from another. */
export const shortUserId = (user: string): string =>
  user.length > maxLength ? createHash('sha256').update(user).digest('hex') : user;
