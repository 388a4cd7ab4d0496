import { createHash } from 'node:crypto';

/** OpenAI takes 40 characters. */
const maxLength = 40;

/** Replaces the id of a tool call that is too long by a hash, so that a call and its result stay together. */
export const shortCallId = (id: string): string =>
  id.length <= maxLength
    ? id
    : `call_${createHash('sha256')
        .update(id)
        .digest('hex')
        .slice(0, maxLength - 5)}`;
