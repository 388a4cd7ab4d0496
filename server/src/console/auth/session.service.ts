import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { LessThan, Not, type EntityManager, type Repository } from 'typeorm';
import { User } from '../../billing/accounts/index.js';
import type { Actor } from '../../shared/actor.js';
import { millisecondsIn, type Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { AccessToken } from './access-token.entity.js';
import { Session } from './session.entity.js';

/** 30 days from sign-in (docs/reference/rest/conventions.md#authentication). */
export const sessionSeconds = 2_592_000;
const seenEveryMilliseconds = 5 * 60_000;
/** Seconds in which the second factor has to be entered. */
const waitingSeconds = 600;

export interface SessionOrigin {
  readonly ip: string;
  readonly userAgent: string;
  /** The mark of a known browser, if the browser sent one. */
  readonly knownBrowser?: string;
}

/** The part of an account that a sign-in is checked against. */
export interface CheckedAccount {
  readonly passwordHash: string | null;
  readonly hasSecondFactor: boolean;
}

export interface NewSession {
  /** Whether the second factor is still missing. Such a session grants nothing else and ends after ten minutes. */
  readonly awaitsFactor?: boolean;
  /** Whether a second factor was shown at the sign-in. */
  readonly isConfirmed?: boolean;
  /**
   * The row against which the password was checked. The session is opened only if the account still has these values.
   */
  readonly checked?: CheckedAccount;
  /**
   * Public id of the session that waited for the second factor. It is ended. If it no longer exists, no session is
   * opened.
   */
  readonly replaces?: string;
}

/** The error for a sign-in that does not wait for its second factor: it has expired, or a new password has ended it. */
export const notWaiting = (): AppError => new InvalidInputError('The sign-in has expired. Sign in again.');

/** The password or the second factors of an account changed after they were checked. */
export class AccountChangedError extends AppError {
  constructor() {
    super('INVALID_CREDENTIALS', 'Username or password wrong, or user banned');
  }
}

/** Browser sessions: revocable rows. The cookie's secret itself is never stored. */
export class SessionService {
  constructor(
    private readonly sessions: Repository<Session>,
    private readonly sessionSecret: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a session.
   * @returns the secret for the cookie
   * @throws AccountChangedError; AppError INVALID_INPUT when `replaces` names no waiting session
   */
  async open(
    userId: number,
    origin: SessionOrigin,
    { awaitsFactor = false, isConfirmed = false, checked, replaces }: NewSession = {},
  ): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.sessions.manager.transaction(async (manager) => {
      if (checked) await assertUnchanged(manager, userId, checked);
      if (replaces !== undefined) await endWaiting(manager, userId, replaces);
      await manager.insert(Session, {
        idHash: this.hash(secret),
        publicId: randomUUID(),
        userId,
        lastSeenAt: new Date(now),
        expiresAt: new Date(now + millisecondsIn(awaitsFactor ? waitingSeconds : sessionSeconds)),
        awaitsFactor,
        confirmedAt: isConfirmed ? new Date(now) : null,
        ip: origin.ip.slice(0, 64),
        userAgent: origin.userAgent.slice(0, 256),
      });
    });
    await this.sessions.delete({ expiresAt: LessThan(new Date(now)) });
    return secret;
  }

  /** Returns the valid session of a cookie, or null. It may still await the second factor. */
  async find(secret: string): Promise<Session | null> {
    const session = await this.sessions.findOneBy({ idHash: this.hash(secret) });
    const now = this.clock.now();
    if (!session || session.expiresAt.getTime() <= now) return null;
    if (now - session.lastSeenAt.getTime() > seenEveryMilliseconds) {
      await this.sessions.update({ idHash: session.idHash }, { lastSeenAt: new Date(now) });
    }
    return session;
  }

  /** Stores that a second factor was shown in this session. */
  async confirm(publicId: string): Promise<void> {
    await this.sessions.update({ publicId }, { confirmedAt: new Date(this.clock.now()) });
  }

  /** Returns the last time that a second factor was shown in a session; null: never, or there is no such session. */
  async confirmedAt(publicId: string): Promise<Date | null> {
    return (await this.sessions.findOneBy({ publicId }))?.confirmedAt ?? null;
  }

  /**
   * Ends a session.
   * @returns the user's id; null when there was no such session
   */
  async close(secret: string): Promise<number | null> {
    const session = await this.sessions.findOneBy({ idHash: this.hash(secret) });
    if (session) await this.sessions.delete({ idHash: session.idHash });
    return session?.userId ?? null;
  }

  /**
   * Ends all access that a changed password must end: sessions, the system access token and named access tokens, in the
   * caller's transaction.
   * @param except public id of one session to keep
   */
  async revokeAccess(manager: EntityManager, userId: number, except?: string): Promise<void> {
    await this.revokeAll(manager, userId, except);
    await manager.delete(AccessToken, { userId });
    await manager.update(User, { id: userId }, { accessTokenHash: null, accessTokenSealed: null });
  }

  /**
   * Checks that the caller's access still exists, as the first step of a transaction whose change a new password has to
   * undo or prevent. It locks the user's row and checks that the session or access token was not ended since the caller
   * was authenticated.
   * @throws AppError NOT_SIGNED_IN
   */
  async assertNotEnded(manager: EntityManager, { id, sessionId, accessTokenId }: Actor): Promise<void> {
    const user = await manager.findOne(User, {
      where: { id },
      select: { id: true, accessTokenHash: true },
      lock: { mode: 'for_no_key_update' },
    });
    // A second statement is used, because it sees changes that were committed while the first waited for the row.
    const isOpen =
      sessionId !== undefined
        ? await manager.existsBy(Session, { userId: id, publicId: sessionId })
        : accessTokenId !== undefined
          ? await manager.existsBy(AccessToken, { userId: id, id: accessTokenId })
          : user?.accessTokenHash;
    if (!user || !isOpen) throw new AppError('NOT_SIGNED_IN', 'Your session was ended. Sign in again.');
  }

  /**
   * Ends every session of a user, in the caller's transaction.
   * @param except public id of one session to keep
   */
  async revokeAll(manager: EntityManager, userId: number, except?: string): Promise<void> {
    await manager.delete(Session, { userId, ...(except === undefined ? {} : { publicId: Not(except) }) });
  }

  private hash(secret: string): Buffer {
    return createHmac('sha256', this.sessionSecret).update(secret).digest();
  }
}

/** Locks the user's row, so that a concurrent change of the password is either seen here or ends the new session. */
async function assertUnchanged(
  manager: EntityManager,
  userId: number,
  { passwordHash, hasSecondFactor }: CheckedAccount,
): Promise<void> {
  const rows = await manager.query<unknown[]>(
    `SELECT 1 FROM users WHERE id = $1 AND password_hash = $2 AND has_second_factor = $3 AND deleted_at IS NULL FOR SHARE`,
    [userId, passwordHash, hasSecondFactor],
  );
  if (rows.length === 0) throw new AccountChangedError();
}

/** Ends the waiting session and locks the user's row, like `assertUnchanged`. */
async function endWaiting(manager: EntityManager, userId: number, publicId: string): Promise<void> {
  await manager.query('SELECT 1 FROM users WHERE id = $1 FOR SHARE', [userId]);
  const { affected } = await manager.delete(Session, { publicId, userId, awaitsFactor: true });
  if (affected !== 1) throw notWaiting();
}
