import type { Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { type MaybeActor, requirePermission } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { openSessions, type OwnSession, type Session, type SessionService } from '../auth/index.js';
import type { UserLedger } from './user-ledger.js';
import type { UserService } from './user.service.js';

export interface UserSessionsDeps {
  readonly sessions: Repository<Session>;
  readonly sessionService: Pick<SessionService, 'revokeAll'>;
  readonly users: Pick<UserService, 'get'>;
  readonly userLedger: Pick<UserLedger, 'log' | 'audit'>;
  readonly changes: Changes;
  readonly clock: Clock;
}

/** The browsers in which a user is signed in, for admins who outrank the user. */
export class UserSessionsService {
  constructor(private readonly deps: UserSessionsDeps) {}

  /** Sessions that have not expired, last used first. @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES */
  async list(actor: MaybeActor, userId: number): Promise<OwnSession[]> {
    const { sessionId } = requirePermission(actor, 'users.read');
    await this.deps.users.get(actor, userId);
    return openSessions(this.deps.sessions, userId, sessionId, this.deps.clock);
  }

  /**
   * Signs the user out everywhere. API keys go on working.
   * @returns the number of ended sessions
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES, INVALID_INPUT for the caller's own account
   */
  async end(actor: MaybeActor, userId: number): Promise<number> {
    const admin = requirePermission(actor, 'users.write');
    const user = await this.deps.users.get(actor, userId);
    if (user.id === admin.id) throw new AppError('INVALID_INPUT', 'End your own sessions in your personal settings');
    const count = await this.deps.sessions.manager.transaction(async (manager) => {
      const ended = await manager.getRepository(this.deps.sessions.target).countBy({ userId });
      if (ended === 0) return 0;
      await this.deps.sessionService.revokeAll(manager, userId);
      await this.deps.userLedger.log(manager, admin, user, 'Administrator action: end sessions');
      await this.deps.userLedger.audit(manager, admin, userId, 'endSessions', { sessions: ended }, { sessions: 0 });
      return ended;
    });
    await this.deps.changes.announce({ kind: 'session', id: userId });
    return count;
  }
}
