import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { ConflictError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Channel } from './channel.entity.js';

/**
 * Decrypts the upstream keys of a stored channel.
 * @throws AppError CONFLICT when they were encrypted with another ENCRYPTION_KEY or are damaged: an admin has to enter
 * new keys
 */
export function openChannelKey(secrets: Pick<Secrets, 'open'>, sealed: string): string {
  try {
    return secrets.open(sealed);
  } catch {
    throw new ConflictError('The key of this channel cannot be read: enter it again', 'key');
  }
}

/**
 * Decrypts the upstream keys of a channel among many. Returns null for keys encrypted with another ENCRYPTION_KEY: one
 * unreadable channel must not hide the others.
 */
export function readableKey(secrets: Pick<Secrets, 'open'>, sealed: string): string | null {
  try {
    return secrets.open(sealed);
  } catch {
    return null;
  }
}

/** Returns the upstream keys of a channel as a list; none for keys encrypted with another ENCRYPTION_KEY. */
export const readableKeys = (
  secrets: Pick<Secrets, 'open'>,
  { type, keySealed }: Pick<Channel, 'type' | 'keySealed'>,
): string[] => splitKeys(readableKey(secrets, keySealed) ?? '', providerOf(type).keyForm);
