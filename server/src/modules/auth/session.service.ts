import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { LessThan, Not, type EntityManager, type Repository } from 'typeorm';
import type { Clock } from '../../shared/clock.js';
import { Session } from './session.entity.js';

/** 30 days from sign-in (docs/reference/rest/conventions.md#authentication). */
export const sessionSeconds = 2_592_000;
const seenEveryMilliseconds = 5 * 60_000;
/** For entering the second factor. */
const waitingSeconds = 600;

export interface SessionOrigin {
  readonly ip: string;
  readonly userAgent: string;
  /** The mark of a known browser, if the browser sent one. */
  readonly knownBrowser?: string;
}

export interface NewSession {
  /** The second factor is still missing: the session grants nothing else and ends after ten minutes. */
  readonly awaitsFactor?: boolean;
  /** The sign-in showed a second factor. */
  readonly isConfirmed?: boolean;
}

/** Browser sessions: revocable rows. The cookie's secret itself is never stored. */
export class SessionService {
  constructor(
    private readonly sessions: Repository<Session>,
    private readonly sessionSecret: string,
    private readonly clock: Clock,
  ) {}

  /** @returns the secret for the cookie */
  async open(
    userId: number,
    origin: SessionOrigin,
    { awaitsFactor = false, isConfirmed = false }: NewSession = {},
  ): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.sessions.insert({
      idHash: this.hash(secret),
      publicId: randomUUID(),
      userId,
      lastSeenAt: new Date(now),
      expiresAt: new Date(now + (awaitsFactor ? waitingSeconds : sessionSeconds) * 1000),
      awaitsFactor,
      confirmedAt: isConfirmed ? new Date(now) : null,
      ip: origin.ip.slice(0, 64),
      userAgent: origin.userAgent.slice(0, 256),
    });
    await this.sessions.delete({ expiresAt: LessThan(new Date(now)) });
    return secret;
  }

  /** The valid session of a cookie, or null. It may still await the second factor. */
  async find(secret: string): Promise<Session | null> {
    const session = await this.sessions.findOneBy({ idHash: this.hash(secret) });
    const now = this.clock.now();
    if (!session || session.expiresAt.getTime() <= now) return null;
    if (now - session.lastSeenAt.getTime() > seenEveryMilliseconds) {
      await this.sessions.update({ idHash: session.idHash }, { lastSeenAt: new Date(now) });
    }
    return session;
  }

  /** Notes that a second factor was shown in this session. */
  async confirm(publicId: string): Promise<void> {
    await this.sessions.update({ publicId }, { confirmedAt: new Date(this.clock.now()) });
  }

  /** @returns the user's id; null when there was no such session */
  async close(secret: string): Promise<number | null> {
    const session = await this.sessions.findOneBy({ idHash: this.hash(secret) });
    if (session) await this.sessions.delete({ idHash: session.idHash });
    return session?.userId ?? null;
  }

  /**
   * Ends what a changed password must end: sessions, the system access token and named access tokens, in the caller's
   * transaction. @param except public id of one session to keep
   */
  async revokeAccess(manager: EntityManager, userId: number, except?: string): Promise<void> {
    await this.revokeAll(manager, userId, except);
    await manager.query('DELETE FROM access_tokens WHERE user_id = $1', [userId]);
    await manager.query('UPDATE users SET access_token_hash = NULL, access_token_sealed = NULL WHERE id = $1', [
      userId,
    ]);
  }

  /** Ends every session of a user, in the caller's transaction. @param except public id of one to keep */
  async revokeAll(manager: EntityManager, userId: number, except?: string): Promise<void> {
    await manager.delete(Session, { userId, ...(except === undefined ? {} : { publicId: Not(except) }) });
  }

  private hash(secret: string): Buffer {
    return createHmac('sha256', this.sessionSecret).update(secret).digest();
  }
}
