import { TokenStatus } from '../../modules/tokens/token.entity.js';
import { UserStatus } from '../../shared/actor.js';
import { AppError } from '../../shared/errors.js';
import type { Caller } from './authentication.js';
import type { KeyDirectory } from './key-directory.js';

/**
 * A signed-in user as a relay caller: the user pays, without a token (docs/reference/relay/access.md#playground).
 * @param group whose channels and ratio apply; '' is the user's own
 * @throws AppError USER_BANNED, NOT_SIGNED_IN; UnavailableError when the database does not respond
 */
export async function playgroundCaller(userId: number, group: string, keys: KeyDirectory): Promise<Caller> {
  const user = await keys.user(userId);
  if (!user) throw new AppError('NOT_SIGNED_IN', 'No permission: the account was deleted');
  if (user.status !== UserStatus.enabled) throw new AppError('USER_BANNED', 'User is banned');
  const token = {
    id: 0,
    userId,
    name: `playground-${group || user.group || 'default'}`,
    status: TokenStatus.enabled,
    expiredTime: -1,
    unlimitedQuota: true,
    remainQuota: 0,
    modelLimitsEnabled: false,
    modelLimits: new Set<string>(),
    allowIps: '',
    group,
    rateLimit: null,
  };
  return { user, token, key: '', pin: null };
}
