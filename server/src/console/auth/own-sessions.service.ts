import { MoreThan, Not, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { requireActor, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { Session } from './session.entity.js';

/** A session in the form that its owner sees, without the cookie's secret. */
export interface OwnSession extends Pick<Session, 'createdAt' | 'lastSeenAt' | 'expiresAt' | 'ip' | 'userAgent'> {
  readonly id: string;
  /** True for the session of this request. */
  readonly current: boolean;
}

/**
 * Returns the sessions of a user that have not expired, last used first.
 * @param current the session of the request
 */
export async function openSessions(
  sessions: Repository<Session>,
  userId: number,
  current: string | undefined,
  clock: Clock,
): Promise<OwnSession[]> {
  const rows = await sessions.find({
    where: { userId, awaitsFactor: false, expiresAt: MoreThan(new Date(clock.now())) },
    order: { lastSeenAt: 'DESC' },
  });
  return rows.map(({ publicId, createdAt, lastSeenAt, expiresAt, ip, userAgent }) => ({
    id: publicId,
    createdAt,
    lastSeenAt,
    expiresAt,
    ip,
    userAgent,
    current: publicId === current,
  }));
}

/** Lists and ends the sessions of a user. */
export class OwnSessionsService {
  constructor(
    private readonly sessions: Repository<Session>,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /** Returns sessions that have not expired, last used first. */
  async list(actor: MaybeActor): Promise<OwnSession[]> {
    const { id, sessionId } = requireActor(actor);
    return openSessions(this.sessions, id, sessionId, this.clock);
  }

  /** @throws AppError NOT_FOUND, also for a session of another user */
  async revoke(actor: MaybeActor, id: string): Promise<void> {
    const { id: userId } = requireActor(actor);
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
    const gone = isId && (await this.sessions.delete({ publicId: id, userId })).affected === 1;
    if (!gone) throw new AppError('NOT_FOUND', 'This session does not exist');
    await this.changes.announce({ kind: 'session', id: userId });
  }

  /**
   * Ends all sessions except the caller's; all of them when the caller used an access token.
   * @returns the number of ended sessions
   */
  async revokeOthers(actor: MaybeActor): Promise<number> {
    const { id: userId, sessionId } = requireActor(actor);
    const others = sessionId === undefined ? {} : { publicId: Not(sessionId) };
    const { affected } = await this.sessions.delete({ userId, ...others });
    await this.changes.announce({ kind: 'session', id: userId });
    return affected ?? 0;
  }
}
