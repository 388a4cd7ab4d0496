import { randomBytes } from 'node:crypto';
import { IsNull, type EntityManager, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import {
  rankOfActor,
  requireConfirmed,
  requirePermission,
  requireSignIn,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { assertMayActOn, type SessionService } from '../auth/index.js';
import { needsSecondFactor } from '../../shared/second-factor-rule.js';
import { confirmedMilliseconds } from '../sign-in/index.js';
import type { Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../../options/option.service.js';
import { User } from '../../billing/accounts/index.js';
import { AuthenticatorApp } from './authenticator-app.entity.js';
import {
  plainRecoveryCode,
  type FactorKind,
  type FactorProof,
  type FactorProofService,
} from './factor-proof.service.js';
import { Passkey } from './passkey.entity.js';
import { toPasskeyConflict, type PasskeyService } from './passkey.service.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { newAuthenticator, stepOfCode, type NewAuthenticator } from './totp.js';

/** The second factors of a user. */
export interface FactorOverview {
  readonly authenticatorApp: { readonly createdAt: Date; readonly lastUsedAt: Date | null } | null;
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodesLeft: number;
  /** Whether the user's role requires a second factor. */
  readonly isRequired: boolean;
  /** Whether operations that require a recent confirmation are refused. */
  readonly needsConfirmation: boolean;
}

export interface SecondFactorDeps {
  readonly users: Repository<User>;
  readonly apps: Repository<AuthenticatorApp>;
  readonly proofs: FactorProofService;
  readonly passkeys: PasskeyService;
  readonly sessions: SessionService;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

const recoveryCodeCount = 10;
const maxPasskeys = 20;
/** The alphabet of RFC 4648 in lower case. No character can be mistaken for another. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Sets up, confirms and removes second factors. A browser session is required; access tokens are refused. */
export class SecondFactorService {
  constructor(private readonly deps: SecondFactorDeps) {}

  /** Returns the caller's own factors. Users who still lack a required factor may read them too. */
  async overview(actor: MaybeActor): Promise<FactorOverview> {
    const self = requireSignIn(actor);
    const { id, isUnconfirmed = false } = self;
    const [app, passkeys, recoveryCodesLeft] = await Promise.all([
      this.deps.apps.findOneBy({ userId: id }),
      this.deps.passkeys.listOf(id),
      this.deps.apps.manager.countBy(RecoveryCode, { userId: id }),
    ]);
    return {
      authenticatorApp: app?.confirmedAt ? { createdAt: app.confirmedAt, lastUsedAt: app.lastUsedAt } : null,
      passkeys,
      recoveryCodesLeft,
      isRequired: this.isRequired(rankOfActor(self)),
      needsConfirmation: isUnconfirmed,
    };
  }

  /**
   * Creates a secret for an authenticator app. The app is in use after its first code.
   * @throws AppError CONFLICT, CONFIRMATION_NEEDED
   */
  async beginAuthenticatorApp(actor: MaybeActor): Promise<NewAuthenticator> {
    const { id, username } = this.owner(actor);
    const made = newAuthenticator(username, this.deps.options.values.SystemName);
    const rows = await this.deps.apps.query<unknown[]>(
      `INSERT INTO authenticator_apps AS app (user_id, secret_sealed) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET secret_sealed = $2, last_step = 0 WHERE app.confirmed_at IS NULL
       RETURNING user_id`,
      [id, this.deps.secrets.seal(made.secret)],
    );
    if (rows.length === 0) throw new ConflictError('An authenticator app is set up already: remove it first');
    return made;
  }

  /**
   * Confirms the app.
   * @returns recovery codes, if it is the user's first second factor
   * @throws AppError INVALID_INPUT, CONFLICT
   */
  async confirmAuthenticatorApp(actor: MaybeActor, code: string): Promise<string[]> {
    const self = this.owner(actor);
    const now = this.deps.clock.now();
    const app = await this.deps.apps.findOneBy({ userId: self.id });
    if (!app || app.confirmedAt) throw new ConflictError('Begin to set up an authenticator app first');
    const step = stepOfCode(this.deps.secrets.open(app.secretSealed), code, now);
    if (step === null) throw new InvalidInputError('The code is wrong', 'code');
    return this.change(self, 'addAuthenticatorApp', async (manager) => {
      // The condition includes the secret that checked the code: the setup may have begun again meanwhile.
      const which = { userId: self.id, secretSealed: app.secretSealed, confirmedAt: IsNull() };
      const { affected } = await manager.update(AuthenticatorApp, which, {
        confirmedAt: new Date(now),
        lastStep: step,
      });
      if (affected !== 1) throw new InvalidInputError('The code is wrong', 'code');
    });
  }

  /** @throws AppError NOT_FOUND, CONFLICT (the role needs a second factor and this is the last), CONFIRMATION_NEEDED */
  async removeAuthenticatorApp(actor: MaybeActor): Promise<void> {
    const self = this.owner(actor);
    await this.change(self, 'removeAuthenticatorApp', async (manager) => {
      const { affected } = await manager.delete(AuthenticatorApp, { userId: self.id });
      if (affected !== 1) throw new NotFoundError('Authenticator app of user', self.id);
    });
  }

  /**
   * Returns options for `navigator.credentials.create`.
   * @throws AppError CONFLICT, CONFIRMATION_NEEDED, INVALID_INPUT
   */
  async beginPasskey(actor: MaybeActor, origin: string | undefined): Promise<unknown> {
    const self = this.owner(actor);
    if ((await this.deps.passkeys.listOf(self.id)).length >= maxPasskeys) {
      throw new ConflictError(`A user can have at most ${maxPasskeys} passkeys`);
    }
    const ceremony = { purpose: 'register', holder: self.sessionId, origin } as const;
    return this.deps.passkeys.beginRegistration(self, ceremony, this.deps.options.values.SystemName);
  }

  /**
   * @returns the passkey, and recovery codes when it is the user's first second factor
   * @throws AppError INVALID_CREDENTIALS, INVALID_INPUT, CONFLICT
   */
  async addPasskey(
    actor: MaybeActor,
    { name, response }: { readonly name: string; readonly response: unknown },
    origin: string | undefined,
  ): Promise<{ passkey: Passkey; recoveryCodes: string[] }> {
    const self = this.owner(actor);
    const ceremony = { purpose: 'register', holder: self.sessionId, origin } as const;
    const made = await this.deps.passkeys.register(self.id, passkeyName(name), response, ceremony);
    let passkey = made;
    const recoveryCodes = await this.change(self, 'addPasskey', async (manager) => {
      passkey = await manager.save(Passkey, made).catch((error: unknown) => {
        throw toPasskeyConflict(error);
      });
    });
    return { passkey, recoveryCodes };
  }

  /** @throws AppError NOT_FOUND, INVALID_INPUT */
  async renamePasskey(actor: MaybeActor, id: number, name: string): Promise<Passkey> {
    const self = this.owner(actor);
    const { affected } = await this.deps.users.manager.update(
      Passkey,
      { id, userId: self.id },
      { name: passkeyName(name) },
    );
    if (affected !== 1) throw new NotFoundError('Passkey', id);
    return this.deps.users.manager.findOneByOrFail(Passkey, { id });
  }

  /** @throws AppError NOT_FOUND, CONFLICT (the role needs a second factor and this is the last), CONFIRMATION_NEEDED */
  async removePasskey(actor: MaybeActor, id: number): Promise<void> {
    const self = this.owner(actor);
    await this.change(self, 'removePasskey', async (manager) => {
      const { affected } = await manager.delete(Passkey, { id, userId: self.id });
      if (affected !== 1) throw new NotFoundError('Passkey', id);
    });
  }

  /**
   * Creates new recovery codes. The old ones stop working.
   * @throws AppError CONFLICT without a second factor
   */
  async renewRecoveryCodes(actor: MaybeActor): Promise<string[]> {
    const self = this.owner(actor);
    return this.deps.users.manager.transaction(async (manager) => {
      await this.deps.sessions.assertNotEnded(manager, self);
      const user = await lockUser(manager, self.id);
      if (!user?.hasSecondFactor) throw new ConflictError('Set up a second factor first');
      await this.audit(manager, self, self.id, 'renewRecoveryCodes');
      return this.writeRecoveryCodes(manager, self.id);
    });
  }

  /** Returns the proofs that the caller can show, with options for a passkey. */
  async beginConfirmation(
    actor: MaybeActor,
    origin: string | undefined,
  ): Promise<{ kinds: FactorKind[]; passkeyOptions: unknown }> {
    const { id, sessionId } = requireSession(actor);
    return this.deps.proofs.challenge(id, { purpose: 'confirm', holder: sessionId, origin });
  }

  /**
   * Confirms the session. For five minutes it may run operations that require a confirmation.
   * @throws AppError like `FactorProofService.check`
   */
  async confirm(actor: MaybeActor, proof: FactorProof, origin: string | undefined): Promise<void> {
    const { id, sessionId } = requireSession(actor);
    const ceremony = { purpose: 'confirm', holder: sessionId, origin } as const;
    await this.deps.proofs.check(id, proof, ceremony, { name: `session:${sessionId}`, isKnown: true });
    await this.deps.sessions.confirm(sessionId);
    await this.deps.changes.announce({ kind: 'session', id });
  }

  /**
   * Confirms the session with a code unless it is confirmed already: programs ask for a code right after the sign-in, when the one of
   * the sign-in counts no more.
   * @returns the moment until which the session is confirmed
   * @throws AppError like `confirm`, INVALID_INPUT for users without a second factor
   */
  async verify(actor: MaybeActor, proof: FactorProof, origin: string | undefined): Promise<Date> {
    const { authenticatorApp, passkeys, needsConfirmation } = await this.overview(actor);
    if (!authenticatorApp && passkeys.length === 0) throw new InvalidInputError('Set up a second factor first');
    if (needsConfirmation) await this.confirm(actor, proof, origin);
    // Access tokens, which have no session, need no confirmation.
    const confirmedAt = actor?.sessionId === undefined ? null : await this.deps.sessions.confirmedAt(actor.sessionId);
    return new Date((confirmedAt?.getTime() ?? this.deps.clock.now()) + confirmedMilliseconds);
  }

  /**
   * Removes every second factor of a user who lost them, and ends the user's sessions.
   * @throws AppError INSUFFICIENT_PRIVILEGES (not above the user's role), NOT_FOUND, CONFIRMATION_NEEDED
   */
  async reset(actor: MaybeActor, userId: number): Promise<User> {
    const admin = requirePermission(actor, 'users.write');
    const user = await this.deps.users.findOneBy({ id: userId });
    if (!user) throw new NotFoundError('User', userId);
    if (admin.id === userId) throw new ForbiddenError();
    await assertMayActOn(this.deps.users.manager, admin, user, 'update');
    requireConfirmed(admin);
    await this.deps.users.manager.transaction(async (manager) => {
      await lockUser(manager, userId);
      for (const factor of [AuthenticatorApp, Passkey, RecoveryCode]) await manager.delete(factor, { userId });
      await manager.query('UPDATE users SET has_second_factor = false WHERE id = $1', [userId]);
      await this.deps.sessions.revokeAll(manager, userId);
      const before = { hasSecondFactor: user.hasSecondFactor };
      const change = {
        action: 'resetSecondFactors',
        subject: 'user',
        id: userId,
        before,
        after: { hasSecondFactor: false },
      } as const;
      await this.deps.auditLog.write(manager, admin, change);
    });
    await this.announce(userId);
    return this.deps.users.findOneByOrFail({ id: userId });
  }

  /**
   * Changes the factors of a user, with the consequences.
   * @returns recovery codes for the first factor
   */
  private async change(self: Own, action: string, work: (manager: EntityManager) => Promise<void>): Promise<string[]> {
    const codes = await this.deps.users.manager.transaction(async (manager) => {
      await this.deps.sessions.assertNotEnded(manager, self);
      const user = await lockUser(manager, self.id);
      await work(manager);
      const [{ has } = { has: false }] = await manager.query<Array<{ has: boolean }>>(
        `SELECT EXISTS (SELECT FROM authenticator_apps WHERE user_id = $1 AND confirmed_at IS NOT NULL)
             OR EXISTS (SELECT FROM passkeys WHERE user_id = $1) AS has`,
        [self.id],
      );
      if (!has && this.isRequired(rankOfActor(self))) {
        throw new ConflictError('Your role needs a second factor: set up another one first');
      }
      await manager.query('UPDATE users SET has_second_factor = $2 WHERE id = $1', [self.id, has]);
      if (!has) await manager.delete(RecoveryCode, { userId: self.id });
      await this.audit(manager, self, self.id, action);
      return has && !user?.hasSecondFactor ? this.writeRecoveryCodes(manager, self.id) : [];
    });
    // A user who has just set up a factor has shown it, so the session counts as confirmed.
    if (codes.length > 0) await this.deps.sessions.confirm(self.sessionId);
    await this.announce(self.id);
    return codes;
  }

  private async writeRecoveryCodes(manager: EntityManager, userId: number): Promise<string[]> {
    const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
    await manager.delete(RecoveryCode, { userId });
    const hashes = codes.map((code) => this.deps.secrets.hash(plainRecoveryCode(code)));
    await manager.insert(
      RecoveryCode,
      hashes.map((codeHash) => ({ userId, codeHash })),
    );
    return codes;
  }

  private audit(manager: EntityManager, actor: Actor, userId: number, action: string): Promise<void> {
    return this.deps.auditLog.write(manager, actor, { action, subject: 'user', id: userId, before: null, after: null });
  }

  private announce(id: number): Promise<void> {
    return this.deps.changes.announce({ kind: 'user', id }, { kind: 'session', id });
  }

  private isRequired(rank: number): boolean {
    return needsSecondFactor(rank, this.deps.options.values.SecondFactorRequiredFor);
  }

  private owner(actor: MaybeActor): Own {
    const self = requireSession(actor);
    requireConfirmed(self);
    return self;
  }
}

const lockUser = (manager: EntityManager, id: number): Promise<User | null> =>
  manager.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });

type Own = Actor & { readonly sessionId: string };

/**
 * Checks that the caller has a session. An access token must not change or show second factors, because a program uses
 * it.
 */
function requireSession(actor: MaybeActor): Own {
  const self = requireSignIn(actor);
  if (self.sessionId === undefined) throw new ForbiddenError('Sign in to manage second factors');
  return { ...self, sessionId: self.sessionId };
}

function passkeyName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 64 || /\p{Cc}/u.test(name)) {
    throw new InvalidInputError('name must have 1 to 64 characters and no control characters', 'name');
  }
  return name;
}

/** Returns a code of 50 random bits, such as `abcde-fgh23`. */
function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(10), (byte) => alphabet[byte % alphabet.length]).join('');
  return `${letters.slice(0, 5)}-${letters.slice(5)}`;
}
