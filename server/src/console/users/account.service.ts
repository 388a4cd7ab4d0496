import { randomBytes } from 'node:crypto';
import type { EntityManager, Repository } from 'typeorm';
import type { Logger } from 'pino';
import type { Changes } from '../../platform/cache/changes.js';
import type { Change, SharedState } from '../../platform/cache/shared-state.js';
import {
  administers,
  requireAccount,
  requireActor,
  requireConfirmed,
  requireSignIn,
  requireUnscoped,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { AppError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { randomBetween } from '../../shared/ids.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Secrets } from '../../shared/secrets.js';
import { passwordSetLetter } from '../../platform/mail/letters.js';
import type { Mailer } from '../../platform/mail/mailer.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PasswordService, SessionService } from '../auth/index.js';
import { parsed, selfPatch, withoutKept, type SelfPatch } from './user-input.js';
import { User, type UserSettings } from '../../billing/accounts/index.js';
import { endMembershipsOf } from '../../billing/organisations/index.js';
import { disableTokens, toConflict } from './user.service.js';
import { claimUsername } from './username.js';

export interface AccountServiceDeps {
  readonly users: Repository<User>;
  readonly passwords: PasswordService;
  readonly sessions: SessionService;
  readonly secrets: Secrets;
  readonly settings: UserSettings;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly state: Pick<SharedState, 'hit' | 'delete'>;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly options: { readonly values: OptionValues };
  readonly logger: Pick<Logger, 'warn'>;
}

const audited = ({ username, displayName }: User) => ({ username, displayName });

/** Limits wrong old passwords, as at sign-in. */
const guessLimit = { count: 10, seconds: 900 };

/**
 * The caller's own account: profile, password, access token, deletion (docs/reference/rest/accounts.md#own-account).
 */
export class AccountService {
  constructor(private readonly deps: AccountServiceDeps) {}

  /** @throws AppError NOT_SIGNED_IN */
  async get(actor: MaybeActor): Promise<User> {
    // An organisation's account is read by those who may see its wallet.
    const { id } = actor?.membership ? requireAccount(actor, 'wallet') : requireSignIn(actor);
    const user = await this.deps.users.findOneBy({ id });
    if (!user) throw new NotFoundError('User', id);
    return user;
  }

  /** Returns the secret of the caller's webhook, which only they may read; empty when there is none. */
  webhookSecret({ setting }: User): string {
    return this.deps.settings.read(setting).webhookSecret;
  }

  /**
   * Returns the system access token in clear, for its owner only. Null when none exists.
   * @throws AppError INSUFFICIENT_PRIVILEGES for a caller who used a named token, CONFIRMATION_NEEDED
   */
  async accessToken(actor: MaybeActor): Promise<string | null> {
    const self = requireUnscoped(actor);
    const { id } = self;
    const row = await this.deps.users.findOne({ where: { id }, select: { id: true, accessTokenSealed: true } });
    if (row?.accessTokenSealed) requireConfirmed(self);
    return row?.accessTokenSealed ? this.deps.secrets.open(row.accessTokenSealed) : null;
  }

  /**
   * Returns the system access token for reading it along with the account. It is also null when the session lacks a
   * second factor or its confirmation.
   * @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES for a caller who used a named token
   */
  async shownAccessToken(actor: MaybeActor): Promise<string | null> {
    return actor?.isUnconfirmed || actor?.lacksSecondFactor ? null : this.accessToken(actor);
  }

  /**
   * Creates a new system access token (base64 of 21 to 24 bytes). The previous one stops working.
   * @throws AppError INSUFFICIENT_PRIVILEGES for a caller who used a named token, CONFIRMATION_NEEDED
   */
  async renewAccessToken(actor: MaybeActor): Promise<string> {
    const self = requireUnscoped(actor);
    requireConfirmed(self);
    const { id } = self;
    const token = randomBytes(randomBetween(21, 24)).toString('base64');
    try {
      await this.deps.users.manager.transaction(async (manager) => {
        await this.deps.sessions.assertNotEnded(manager, self);
        const columns = {
          accessTokenHash: this.deps.secrets.hash(token),
          accessTokenSealed: this.deps.secrets.seal(token),
        };
        await manager.update(User, { id }, columns);
        await this.audit(manager, self, 'renewAccessToken');
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'users_access_token_hash')) throw error;
      throw new AppError('CONFLICT', 'Duplicate generated, retry', { cause: error });
    }
    await this.deps.changes.announce({ kind: 'user', id });
    return token;
  }

  /**
   * Changes name, display name and password. A new password ends every other session and every access token, and is
   * announced to the account's e-mail address. The old password is checked if it is sent. In a session it may be absent, as old clients do not send it, which is logged;
   * with an access token it is required. A named one changes neither name nor password.
   * @throws AppError INVALID_INPUT (a field; old password missing or wrong), CONFLICT (name in use), NOT_SIGNED_IN,
   * RATE_LIMITED (wrong old passwords), INSUFFICIENT_PRIVILEGES (a name or password by a named access token)
   */
  async update(actor: MaybeActor, patch: SelfPatch): Promise<User> {
    const self = requireActor(actor);
    const before = await this.get(self);
    const { username, displayName, password, originalPassword } = parsed(selfPatch, withoutKept(patch, before));
    if (username || password) requireUnscoped(self);
    if (password) requireConfirmed(self);
    const passwordHash = password ? await this.newPasswordHash(self, password, originalPassword) : undefined;
    const set = {
      ...(username ? { username } : {}),
      ...(displayName ? { displayName } : {}),
      ...(passwordHash ? { passwordHash } : {}),
    };
    if (Object.keys(set).length === 0) return this.get(self);
    try {
      await this.deps.users.manager.transaction(async (manager) => {
        if (passwordHash || username) await this.deps.sessions.assertNotEnded(manager, self);
        if (username) await claimUsername(manager, username, self.id);
        await manager.update(User, { id: self.id }, set);
        if (passwordHash) await this.deps.sessions.revokeAccess(manager, self.id, self.sessionId);
        await this.audit(manager, self, 'update', audited(before), {
          ...audited({ ...before, ...set }),
          ...(passwordHash ? { password: passwordHash } : {}),
        });
      });
    } catch (error) {
      throw toConflict(error);
    }
    await this.deps.changes.announce({ kind: 'user', id: self.id }, { kind: 'session', id: self.id });
    const after = await this.get(self);
    if (passwordHash) this.sendNotice(after.email);
    return after;
  }

  /**
   * Deletes the account softly: name and address stay reserved. Keys and sessions stop working immediately.
   * @throws AppError INSUFFICIENT_PRIVILEGES (root, and a named access token), CONFIRMATION_NEEDED, CONFLICT for the only
   * owner of an organisation that has other members
   */
  async remove(actor: MaybeActor): Promise<void> {
    const self = requireUnscoped(actor);
    requireConfirmed(self);
    if (self.role === 'root') throw new ForbiddenError('The super admin account cannot be deleted');
    let changes: readonly Change[] = [];
    await this.deps.users.manager.transaction(async (manager) => {
      await this.deps.sessions.assertNotEnded(manager, self);
      await manager.softDelete(User, { id: self.id });
      await disableTokens(manager, self.id);
      changes = await endMembershipsOf(manager, self.id);
      await this.deps.sessions.revokeAll(manager, self.id);
      await this.audit(manager, self, 'delete', { username: self.username, role: self.role }, null);
    });
    await this.deps.changes.announce({ kind: 'user', id: self.id }, { kind: 'session', id: self.id }, ...changes);
  }

  /** Whether the caller has a password. Users who only ever signed in through a provider have none. */
  async hasPassword(actor: MaybeActor): Promise<boolean> {
    const { id } = requireActor(actor);
    const row = await this.deps.users.findOne({ where: { id }, select: { id: true, passwordHash: true } });
    return Boolean(row?.passwordHash);
  }

  private async audit(
    manager: EntityManager,
    self: Actor,
    action: string,
    before: AuditChange['before'] = null,
    after: AuditChange['after'] = null,
  ): Promise<void> {
    if (!administers(self)) return;
    await this.deps.auditLog.write(manager, self, { action, subject: 'user', id: self.id, before, after });
  }

  /** Sends the notice. The mailer logs a failure, and the new password is valid in any case. */
  private sendNotice(address: string): void {
    if (address === '') return;
    const { mailer, options } = this.deps;
    mailer.send({ to: address, ...passwordSetLetter(options.values.SystemName) }).catch(() => undefined);
  }

  private async newPasswordHash(self: Actor, password: string, original: string | undefined): Promise<string> {
    const row = await this.deps.users.findOne({ where: { id: self.id }, select: { id: true, passwordHash: true } });
    if (original !== undefined && row?.passwordHash) {
      await this.checkOldPassword(self, row.passwordHash, original);
    } else if (self.sessionId === undefined) {
      const message = 'The old password is needed to change the password with an access token';
      throw new InvalidInputError(message, 'originalPassword');
    } else if (row?.passwordHash) {
      this.deps.logger.warn({ userId: self.id }, 'password changed without the old one');
    }
    return this.deps.passwords.hash(password);
  }

  private async checkOldPassword({ id, sessionId }: Actor, hash: string, given: string): Promise<void> {
    const { state, passwords } = this.deps;
    // The count is per session: a thief of the access token must neither guess without limit nor lock the owner out.
    const key = `limit:old-password:${id}:${sessionId ?? 'token'}`;
    // The attempt is counted before the password is checked, so that parallel guesses cannot pass together.
    const hit = await state.hit(key, guessLimit.count, guessLimit.seconds);
    if (!hit.allowed) {
      const { retryAfterSeconds } = hit;
      throw new AppError('RATE_LIMITED', 'Too many attempts, try again later', { retryAfterSeconds });
    }
    const { matches } = await passwords.check(hash, given);
    if (!matches) throw new InvalidInputError('The old password is wrong', 'originalPassword');
    await state.delete(key);
  }
}
