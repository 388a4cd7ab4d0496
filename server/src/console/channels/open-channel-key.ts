import { ConflictError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';

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
