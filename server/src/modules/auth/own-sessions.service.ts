import { MoreThan, Not, type Repository } from 'typeorm';
import type { Changes } from '../../cache/changes.js';
import { requireActor, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { Session } from './session.entity.js';

/** A sign-in as its owner sees it. The cookie's secret is nowhere in it. */
export interface OwnSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
  /** The one that asks. */
  readonly current: boolean;
}

/** Where a user is signed in, and how he ends it elsewhere. */
export class OwnSessionsService {
  constructor(
    private readonly sessions: Repository<Session>,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /** Living ones, the last seen first. */
  async list(actor: MaybeActor): Promise<OwnSession[]> {
    const { id: userId, sessionId } = requireActor(actor);
    const rows = await this.sessions.find({
      where: { userId, expiresAt: MoreThan(new Date(this.clock.now())) },
      order: { lastSeenAt: 'DESC' },
    });
    return rows.map(({ publicId, createdAt, lastSeenAt, expiresAt, ip, userAgent }) => ({
      ...{ id: publicId, createdAt, lastSeenAt, expiresAt, ip, userAgent },
      current: publicId === sessionId,
    }));
  }

  /** @throws AppError NOT_FOUND also for somebody else's */
  async revoke(actor: MaybeActor, id: string): Promise<void> {
    const { id: userId } = requireActor(actor);
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
    const gone = isId && (await this.sessions.delete({ publicId: id, userId })).affected === 1;
    if (!gone) throw new AppError('NOT_FOUND', 'This session does not exist');
    await this.changes.announce({ kind: 'session', id: userId });
  }

  /** All but the one that asks; all of them when an access token asks. @returns how many ended */
  async revokeOthers(actor: MaybeActor): Promise<number> {
    const { id: userId, sessionId } = requireActor(actor);
    const others = sessionId === undefined ? {} : { publicId: Not(sessionId) };
    const { affected } = await this.sessions.delete({ userId, ...others });
    await this.changes.announce({ kind: 'session', id: userId });
    return affected ?? 0;
  }
}
