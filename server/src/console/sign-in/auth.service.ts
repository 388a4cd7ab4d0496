import { createHash } from 'node:crypto';
import type { Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { boundedCache } from '../../shared/bounded-cache.js';
import { rankOf, type Actor } from '../../shared/actor.js';
import type { Permission } from '../../shared/permission.js';
import { addressKey } from '../../shared/address.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { needsSecondFactor } from '../../shared/second-factor-rule.js';
import type { Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../../options/option.service.js';
import type { User } from '../../billing/accounts/index.js';
import {
  type AccessTokenService,
  AccountChangedError,
  type Challenge,
  type KnownBrowsers,
  namedTokenPrefix,
  type NewSession,
  type PasswordService,
  type Session,
  type SessionOrigin,
  type SessionService,
  type TurnstileService,
} from '../auth/index.js';

/**
 * Sign-in, registration and mail endpoints share one counter for each address
 * (docs/reference/rest/conventions.md#rate-limits).
 */
const criticalLimit = { count: 20, seconds: 1200 };
/** Limits wrong passwords for one account from one address (a /64 of IPv6), or from one known browser. */
const guessLimit = { count: 10, seconds: 900 };
/** Milliseconds for which a node may use a cached caller. Announcements end it earlier. */
const actorMilliseconds = 1000;
/** Milliseconds for which a confirmation by the second factor counts. */
export const confirmedMilliseconds = 5 * 60_000;
/** Milliseconds. The owner of an account that is younger gets no notice of a new browser. */
const newAccountMilliseconds = 3_600_000;

export interface Credentials {
  /** User name or e-mail address. */
  readonly username: string;
  readonly password: string;
}

export interface SignIn {
  readonly user: User;
  /** Value of the session cookie. */
  readonly secret: string;
  /** The cookie value that makes this browser a known one; null while the second factor is missing. */
  readonly knownBrowser: string | null;
  /** The session grants nothing until the second factor is shown (`console/second-factors`). */
  readonly needsSecondFactor: boolean;
}

/** A sign-in from a browser that is not known to the account. */
export interface NewBrowser {
  readonly userId: number;
  readonly origin: SessionOrigin;
}

export interface AuthServiceDeps {
  readonly users: Repository<User>;
  readonly sessions: SessionService;
  readonly knownBrowsers: KnownBrowsers;
  readonly accessTokens: AccessTokenService;
  readonly roles: { permissionsOf(customRoleId: number): Promise<readonly Permission[]> };
  readonly organisations: { actorInOrganisation(actor: Actor, organisationId: number): Promise<Actor> };
  readonly passwords: PasswordService;
  readonly turnstile: TurnstileService;
  readonly secrets: Secrets;
  readonly state: SharedState;
  readonly changes: Changes;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

/** Authenticates callers, and signs users in and out. */
export class AuthService {
  private readonly actors = boundedCache<string, Actor>({ max: 10_000, ttl: actorMilliseconds });
  /** Counts how often the cached callers were dropped. */
  private generation = 0;
  private onNewBrowser: (signIn: NewBrowser) => void = () => undefined;

  constructor(private readonly deps: AuthServiceDeps) {
    const forget = (): void => {
      this.generation += 1;
      this.actors.clear();
    };
    deps.changes.on('user', forget);
    deps.changes.on('session', forget);
  }

  /**
   * Returns the caller of a session. Role, status and group are read from the database, never from the cookie, so a ban
   * takes effect within a second.
   */
  actorOfSession(cookie: string): Promise<Actor | null> {
    return this.remember(`session:${cookie}`, async () => {
      const session = await this.deps.sessions.find(cookie);
      if (!session || session.awaitsFactor) return null;
      const user = await this.deps.users.findOneBy({ id: session.userId });
      return user
        ? { ...(await this.actorOf(user)), sessionId: session.publicId, ...this.factorState(user, session) }
        : null;
    });
  }

  /**
   * Returns the user of a system access token, or of a named token with its scopes; null when the token is unknown,
   * expired or revoked.
   */
  actorOfAccessToken(token: string): Promise<Actor | null> {
    return this.remember(`token:${token}`, async () => {
      if (token === '') return null;
      if (token.startsWith(namedTokenPrefix)) return this.actorOfNamedToken(token);
      const user = await this.deps.users.findOneBy({ accessTokenHash: this.deps.secrets.hash(token) });
      return user && this.actorOf(user);
    });
  }

  /** @throws AppError NOT_FOUND for an organisation of which the caller is no member */
  actorInOrganisation(actor: Actor, organisationId: number): Promise<Actor> {
    return this.deps.organisations.actorInOrganisation(actor, organisationId);
  }

  /**
   * Checks the password and opens a new session.
   * @throws AppError RATE_LIMITED, INVALID_INPUT (password sign-in disabled, empty field), INVALID_CREDENTIALS (the
   * same text for every reason)
   */
  async login(credentials: Credentials, origin: SessionOrigin, challenge: Challenge): Promise<SignIn> {
    const name = credentials.username.trim();
    const browser = await this.knownBrowserOf(name, challenge);
    if (browser === null) await this.limitCritical(challenge.ip);
    await this.deps.turnstile.check(challenge);
    if (!this.deps.options.values.PasswordLoginEnabled) {
      throw new InvalidInputError('Password login is disabled by the administrator');
    }
    if (name === '' || credentials.password === '') throw new InvalidInputError('Invalid parameter');
    const digest = createHash('sha256').update(name.toLowerCase()).digest('base64url');
    const guesses = `limit:login:${digest}:${browser ?? addressKey(challenge.ip)}`;
    // Counted before the password is checked, so that parallel guesses cannot pass together.
    await this.limit(guesses, guessLimit);

    let user = await this.withPassword(name, credentials.password);
    await Promise.all([this.deps.state.delete(guesses), this.deps.turnstile.forget(challenge)]);
    try {
      return await this.openSession(user, origin, user);
    } catch (error) {
      if (!(error instanceof AccountChangedError)) throw error;
      // Another sign-in may have renewed an outdated hash: the given password decides again.
      user = await this.withPassword(name, credentials.password);
      return await this.openSession(user, origin, user);
    }
  }

  /** @throws AppError INVALID_CREDENTIALS (the same text for every reason) */
  private async withPassword(name: string, password: string): Promise<User> {
    const user = await this.findByLogin(name);
    const { matches, outdated } = await this.deps.passwords.check(user?.passwordHash ?? null, password);
    if (!user || !matches || user.status !== 'enabled') {
      throw new AppError('INVALID_CREDENTIALS', 'Username or password wrong, or user banned');
    }
    if (!outdated) return user;
    const passwordHash = await this.deps.passwords.hash(password);
    // The condition includes the checked hash: a password that was set meanwhile stays.
    await this.deps.users.update({ id: user.id, passwordHash: user.passwordHash ?? '' }, { passwordHash });
    return { ...user, passwordHash };
  }

  /**
   * Opens a session for a user whom the password or a sign-in provider identified. With a second factor set up, the
   * session waits for it.
   * @param checked the row against which the password was checked; absent after a sign-in without password
   * @throws AppError USER_BANNED; AccountChangedError when the checked values of the account have changed
   */
  async openSession(user: User, origin: SessionOrigin, checked?: NewSession['checked']): Promise<SignIn> {
    if (!user.hasSecondFactor) return this.begin(user, origin, { checked });
    assertEnabled(user);
    const secret = await this.deps.sessions.open(user.id, origin, { awaitsFactor: true, checked });
    return { user: user, secret, knownBrowser: null, needsSecondFactor: true };
  }

  /**
   * Opens a session for a user who has shown a second factor.
   * @param replaces public id of the session that waited for it; absent after a sign-in with a passkey alone
   * @throws AppError USER_BANNED, INVALID_INPUT when that session was ended meanwhile
   */
  openConfirmedSession(user: User, origin: SessionOrigin, replaces?: string): Promise<SignIn> {
    return this.begin(user, origin, { isConfirmed: true, replaces });
  }

  /** @param listener called after every sign-in from a browser that is not known to the account */
  watchNewBrowsers(listener: (signIn: NewBrowser) => void): void {
    this.onNewBrowser = listener;
  }

  private async begin(user: User, origin: SessionOrigin, how: NewSession): Promise<SignIn> {
    assertEnabled(user);
    const { sessions, knownBrowsers, clock } = this.deps;
    const secret = await sessions.open(user.id, origin, how);
    const isKnown = knownBrowsers.read(origin.knownBrowser)?.userId === user.id;
    const isNewAccount = clock.now() - user.createdAt.getTime() < newAccountMilliseconds;
    if (!isKnown && !isNewAccount) this.onNewBrowser({ userId: user.id, origin });
    return { user: user, secret, knownBrowser: knownBrowsers.mark(user.id), needsSecondFactor: false };
  }

  private factorState(user: User, { confirmedAt }: Session): Pick<Actor, 'isUnconfirmed' | 'lacksSecondFactor'> {
    const { SecondFactorRequiredFor } = this.deps.options.values;
    if (!user.hasSecondFactor) return { lacksSecondFactor: needsSecondFactor(rankOf(user), SecondFactorRequiredFor) };
    const age = this.deps.clock.now() - (confirmedAt?.getTime() ?? 0);
    return { isUnconfirmed: age >= confirmedMilliseconds };
  }

  /**
   * Ends the session of this cookie, if any.
   * @returns whether there was one
   */
  async logout(cookie: string | undefined): Promise<boolean> {
    if (!cookie) return false;
    const id = await this.deps.sessions.close(cookie);
    if (id !== null) await this.deps.changes.announce({ kind: 'session', id });
    return id !== null;
  }

  /**
   * Checks the rate limit and the bot check before any unauthenticated attempt.
   * @throws AppError RATE_LIMITED, INVALID_INPUT
   */
  async admit(challenge: Challenge): Promise<void> {
    await this.limitCritical(challenge.ip);
    await this.deps.turnstile.check(challenge);
  }

  /** @throws AppError RATE_LIMITED */
  limitCritical(ip: string): Promise<void> {
    return this.limit(`limit:CT:${addressKey(ip)}`, criticalLimit);
  }

  /**
   * Returns the origin of attempts at an account: a browser in which its owner signed in before, else an address (a /64
   * of IPv6).
   */
  proofOrigin(userId: number, { ip, knownBrowser }: SessionOrigin): { name: string; isKnown: boolean } {
    const known = this.deps.knownBrowsers.read(knownBrowser);
    const isKnown = known?.userId === userId;
    return { name: isKnown ? `browser:${known.browser}` : addressKey(ip), isKnown };
  }

  /**
   * Returns the browser's name if the account's owner has signed in with it before. Only a valid mark costs a look-up.
   */
  private async knownBrowserOf(name: string, { knownBrowser }: Challenge): Promise<string | null> {
    const known = this.deps.knownBrowsers.read(knownBrowser);
    const user = known && name !== '' ? await this.findByLogin(name) : null;
    return known && user?.id === known.userId ? known.browser : null;
  }

  /**
   * Finds a user. Usernames take precedence over e-mail addresses, so that a username that equals an address cannot
   * shadow that account.
   */
  private async findByLogin(name: string): Promise<User | null> {
    // Postgres text columns cannot hold NUL, so no name contains it.
    if (name.includes('\0')) return null;
    const query = this.deps.users.createQueryBuilder('account').addSelect('account.passwordHash');
    const byName = await query.clone().where('account.username = :name', { name }).getOne();
    if (byName || !name.includes('@')) return byName;
    return query.clone().where("account.email <> '' AND lower(account.email) = lower(:name)", { name }).getOne();
  }

  private async actorOfNamedToken(token: string): Promise<Actor | null> {
    const found = await this.deps.accessTokens.find(token);
    const user = found && (await this.deps.users.findOneBy({ id: found.userId }));
    return user ? { ...(await this.actorOf(user)), accessTokenId: found.id, scopes: found.scopes } : null;
  }

  /** Returns the caller with the permissions of a custom role. Cached callers keep them for `actorMilliseconds`. */
  private async actorOf({ id, username, role, status, group, customRoleId }: User): Promise<Actor> {
    const actor = { id, username, role, status, group };
    if (customRoleId === null || role !== 'common') return actor;
    return { ...actor, permissions: await this.deps.roles.permissionsOf(customRoleId) };
  }

  private async limit(key: string, limit: { count: number; seconds: number }): Promise<void> {
    const hit = await this.deps.state.hit(key, limit.count, limit.seconds);
    if (hit.allowed) return;
    throw new AppError('RATE_LIMITED', 'Too many attempts, try again later', {
      retryAfterSeconds: hit.retryAfterSeconds,
    });
  }

  private async remember(secret: string, load: () => Promise<Actor | null>): Promise<Actor | null> {
    const key = createHash('sha256').update(secret).digest('base64url');
    const known = this.actors.get(key);
    if (known) return known;
    const { generation } = this;
    const actor = await load();
    // A change that was announced during the read may be missing in the result, which is then not cached.
    if (actor && generation === this.generation) this.actors.set(key, actor);
    return actor;
  }
}

function assertEnabled({ status }: User): void {
  if (status !== 'enabled') throw new AppError('USER_BANNED', 'User is banned');
}
