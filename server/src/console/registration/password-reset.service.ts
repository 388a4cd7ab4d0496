import { createHash, randomBytes } from 'node:crypto';
import type { Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { leastAdministrator, rankOf } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { passwordChangedLetter, resetLetter } from '../../platform/mail/letters.js';
import type { Mailer } from '../../platform/mail/mailer.js';
import { InvalidInputError, type AppError } from '../../shared/errors.js';
import { sameSecret, type Secrets } from '../../shared/secrets.js';
import { siteAddress } from '../../shared/site-address.js';
import type { AuthService, Challenge } from '../sign-in/index.js';
import type { PasswordService, SessionService } from '../auth/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { User } from '../../billing/accounts/index.js';

export interface PasswordResetDeps {
  readonly users: Repository<User>;
  readonly auth: AuthService;
  readonly passwords: PasswordService;
  readonly sessions: SessionService;
  readonly state: SharedState;
  readonly mailer: Mailer;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly options: { readonly values: OptionValues };
}

const lifetimeSeconds = 600;
const pauseSeconds = 30;

/** Password reset by mail (docs/reference/rest/accounts.md#password-reset). A reset by an admin is audited. */
export class PasswordResetService {
  constructor(private readonly deps: PasswordResetDeps) {}

  /**
   * Sends the mail. The response is the same, and equally fast, whether or not an account has this address, because the
   * mail is sent after it.
   * @throws AppError RATE_LIMITED, INVALID_INPUT, UPSTREAM_UNREACHABLE (no mail server is configured)
   */
  async request(address: string, challenge: Challenge): Promise<void> {
    const { auth, mailer, state } = this.deps;
    await auth.admit(challenge);
    const email = address.trim();
    if (email.length > 50 || !/^[^\s@]+@[^\s@]+$/.test(email))
      throw new InvalidInputError('Invalid parameter', 'email');
    mailer.assertConfigured();
    const user = await this.findUser(email);
    if (user && (await state.once(`${keyOf(email)}:sent`, pauseSeconds))) void this.sendLink(user.email);
  }

  /**
   * Sets a new password.
   * @returns the new password, which is shown once
   * @throws AppError RATE_LIMITED, INVALID_INPUT
   */
  async reset(address: string, token: string, ip: string): Promise<string> {
    const { auth, state, secrets } = this.deps;
    await auth.limitCritical(ip);
    const email = address.trim();
    if (email === '' || token === '') throw new InvalidInputError('Invalid parameter');
    const key = keyOf(email);
    const given = secrets.hash(token).toString('base64');
    const matches = (held: string | null): boolean => held !== null && sameSecret(held, given);
    // The token is compared before it is consumed, because strangers could otherwise invalidate a user's link. Guesses
    // are not limited: 128 random bits cannot be guessed.
    if (!matches(await state.get(key)) || !matches(await state.take(key))) throw badLink();
    const user = await this.findUser(email);
    if (!user) throw badLink();
    return this.replace(user, ip);
  }

  private async replace(user: User, ip: string): Promise<string> {
    const password = randomBytes(6).toString('hex');
    const passwordHash = await this.deps.passwords.hash(password);
    await this.deps.users.manager.transaction(async (manager) => {
      await manager.update(User, { id: user.id }, { passwordHash });
      await this.deps.sessions.revokeAccess(manager, user.id);
      if (rankOf(user) < leastAdministrator) return;
      const change = { action: 'update', subject: 'user', id: user.id } as const;
      const states = { before: { password: null }, after: { password: passwordHash } };
      await this.deps.auditLog.write(manager, { ...user, ip }, { ...change, ...states });
    });
    await this.deps.changes.announce({ kind: 'user', id: user.id }, { kind: 'session', id: user.id });
    const { mailer, options } = this.deps;
    // The mailer logs a failure. The new password is valid in any case.
    mailer.send({ to: user.email, ...passwordChangedLetter(options.values.SystemName) }).catch(() => undefined);
    return password;
  }

  private async sendLink(email: string): Promise<void> {
    const { state, secrets, mailer, options } = this.deps;
    const { SystemName, ServerAddress } = options.values;
    const token = randomBytes(16).toString('hex');
    try {
      await state.set(keyOf(email), secrets.hash(token).toString('base64'), lifetimeSeconds);
      // The link has the configured address, never the Host header of a request.
      const link = new URL(`${siteAddress(ServerAddress)}/user/reset`);
      link.search = new URLSearchParams({ email, token }).toString();
      await mailer.send({ to: email, ...resetLetter(SystemName, link.href) });
    } catch {
      await state.delete(`${keyOf(email)}:sent`).catch(() => undefined);
    }
  }

  private findUser(email: string): Promise<User | null> {
    return this.deps.users
      .createQueryBuilder('account')
      .where(`account.email <> '' AND lower(account.email) = lower(:email)`, { email })
      .getOne();
  }
}

const keyOf = (email: string): string =>
  `password-reset:${createHash('sha256').update(email.toLowerCase()).digest('base64url')}`;

const badLink = (): AppError => new InvalidInputError('Reset link is invalid or expired', 'token');
