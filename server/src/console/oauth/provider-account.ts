import type { EntityManager, Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { administers, type Actor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { AppError, ConflictError, InvalidInputError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { SessionService } from '../auth/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Enrolment } from '../registration/index.js';
import { User } from '../../billing/accounts/index.js';
import { usernameRule, UsernameTakenError, withFreshAffiliateCode } from '../users/index.js';
import {
  isRow,
  sources,
  type Identity,
  type IdentitySource,
  type RowSource,
  type Source,
} from './identity-provider.js';
import { SignInLink } from './sign-in-provider.entity.js';

export interface ProviderAccountDeps {
  readonly users: Repository<User>;
  readonly sessions: Pick<SessionService, 'assertNotEnded'>;
  readonly enrolment: Enrolment;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly options: { readonly values: OptionValues };
}

/** The values of a new account besides its identity. */
interface Given {
  readonly username: string;
  readonly email: string;
  readonly inviterCode: string;
}

const numberedNames = 5;

const allIdentities = { githubId: true, oidcId: true, linuxDoId: true, wechatId: true, telegramId: true } as const;

/** Finds, creates and binds the accounts of provider identities. Bindings of admins are audited. */
export class ProviderAccounts {
  constructor(private readonly deps: ProviderAccountDeps) {}

  /**
   * Returns the account of this identity. It is created when there is none.
   * @throws AppError USER_BANNED (deleted), INVALID_INPUT (registration is closed)
   */
  async signIn(source: IdentitySource, identity: Identity, inviterCode: string): Promise<User> {
    const known = await this.find(source, identity);
    if (known) return living(known);
    if (!this.deps.options.values.RegisterEnabled) throw new InvalidInputError('New user registration is closed');
    return this.create(source, identity, inviterCode);
  }

  /**
   * Returns the account of this identity, for providers without registration.
   * @throws AppError USER_BANNED, INVALID_INPUT
   */
  async signInBound(source: IdentitySource, identity: Identity): Promise<User> {
    const known = await this.find(source, identity);
    if (!known) throw new InvalidInputError(`This ${source.label} account is not bound`);
    return living(known);
  }

  /**
   * @throws AppError CONFLICT when any user has this identity, deleted ones included; NOT_SIGNED_IN when the session was
   * ended meanwhile
   */
  async bind(source: IdentitySource, identity: Identity, actor: Actor): Promise<void> {
    const taken = (): AppError => new ConflictError(`This ${source.label} account is already bound`);
    if (await this.find(source, identity)) throw taken();
    try {
      await this.deps.users.manager.transaction(async (manager) => {
        await this.deps.sessions.assertNotEnded(manager, actor);
        const select = { id: true, ...allIdentities } as const;
        const before = await manager.findOneOrFail(User, { where: { id: actor.id }, select });
        if (isRow(source)) {
          await this.link(manager, source, identity, actor.id);
          await this.auditLink(manager, actor, source, identity.id);
          return;
        }
        await manager.update(User, { id: actor.id }, { [source.column]: identity.id });
        await this.audit(manager, actor, source, before, identity.id);
      });
    } catch (error) {
      throw isUniqueViolation(error, indexOf(source)) ? taken() : error;
    }
    await this.deps.changes.announce({ kind: 'user', id: actor.id });
  }

  /**
   * Unbinds an identity, unless it is the only way to sign in.
   * @throws AppError INVALID_INPUT, NOT_SIGNED_IN when the session or access token was ended meanwhile
   */
  async unbind(source: IdentitySource, actor: Actor): Promise<void> {
    await this.deps.users.manager.transaction(async (manager) => {
      await this.deps.sessions.assertNotEnded(manager, actor);
      const select = { id: true, passwordHash: true, ...allIdentities } as const;
      const user = await manager.findOneOrFail(User, { where: { id: actor.id }, select });
      const isOf = (one: Source): boolean => !isRow(source) && one.column === source.column;
      const columns = Object.values(sources).filter((one) => !isOf(one) && user[one.column] !== '');
      const links = await manager.findBy(SignInLink, { userId: actor.id });
      const isLinkOf = ({ providerId }: SignInLink): boolean => isRow(source) && providerId === source.providerId;
      const isBound = isRow(source) ? links.some(isLinkOf) : user[source.column] !== '';
      const others = columns.length + links.filter((link) => !isLinkOf(link)).length;
      if (isBound && user.passwordHash === null && others === 0) {
        throw new InvalidInputError(`${source.label} is the only way to sign in to this account: set a password first`);
      }
      if (isRow(source)) {
        await manager.delete(SignInLink, { providerId: source.providerId, userId: actor.id });
        if (isBound) await this.auditLink(manager, actor, source, '');
        return;
      }
      await manager.update(User, { id: actor.id }, { [source.column]: '' });
      await this.audit(manager, actor, source, user, '');
    });
    await this.deps.changes.announce({ kind: 'user', id: actor.id });
  }

  /** Binds an identity, and replaces an earlier one of the same provider. */
  private async link(
    manager: EntityManager,
    { providerId }: RowSource,
    { id: subject }: Identity,
    userId: number,
  ): Promise<void> {
    await manager.delete(SignInLink, { providerId, userId });
    await manager.insert(SignInLink, { providerId, subject, userId });
  }

  private async auditLink(manager: EntityManager, actor: Actor, { label }: RowSource, after: string): Promise<void> {
    if (!administers(actor)) return;
    const change = { action: 'update', subject: 'user', id: actor.id } as const;
    await this.deps.auditLog.write(manager, actor, {
      ...change,
      before: {},
      after: { [`identity at ${label}`]: after },
    });
  }

  private async audit(
    manager: EntityManager,
    actor: Actor,
    { column }: Source,
    before: User,
    after: string,
  ): Promise<void> {
    if (!administers(actor) || before[column] === after) return;
    const change = { action: 'update', subject: 'user', id: actor.id } as const;
    const states = { before: { [column]: before[column] }, after: { [column]: after } };
    await this.deps.auditLog.write(manager, actor, { ...change, ...states });
  }

  /** Finds the user of an identity. A row that an older console stored under `formerId` is updated to `id`. */
  private async find(source: IdentitySource, { id, formerId }: Identity): Promise<User | null> {
    if (isRow(source)) {
      const where = { providerId: source.providerId, subject: id };
      const link = { where, relations: { user: true }, withDeleted: true };
      return (await this.deps.users.manager.findOne(SignInLink, link))?.user ?? null;
    }
    const { column } = source;
    const by = (value: string): Promise<User | null> =>
      this.deps.users.findOne({ where: { [column]: value }, withDeleted: true });
    const known = await by(id);
    if (known || !formerId) return known;
    const former = await by(formerId);
    if (former) await this.deps.users.update({ id: former.id }, { [column]: id });
    return former;
  }

  private async create(source: IdentitySource, identity: Identity, inviterCode: string): Promise<User> {
    const email = await this.freeEmail(identity.email);
    for (const username of await this.names(source, identity)) {
      try {
        return await this.createAs(source, identity, { username, email, inviterCode });
      } catch (error) {
        // This person registered in another window at the same time.
        if (isUniqueViolation(error, indexOf(source))) return this.signInBound(source, identity);
        if (!(error instanceof UsernameTakenError)) throw error;
      }
    }
    throw new ConflictError('No free user name was found, try again');
  }

  private async createAs(source: IdentitySource, identity: Identity, given: Given): Promise<User> {
    const run = (email: string): Promise<User> =>
      withFreshAffiliateCode(() =>
        this.deps.users.manager.transaction((manager) => this.insert(manager, source, identity, { ...given, email })),
      );
    try {
      return await run(given.email);
    } catch (error) {
      // Another user took the address after it was found free.
      if (!isUniqueViolation(error, 'users_email')) throw error;
      return run('');
    }
  }

  private async insert(
    manager: EntityManager,
    source: IdentitySource,
    identity: Identity,
    given: Given,
  ): Promise<User> {
    const user = await this.deps.enrolment.enrol(manager, {
      ...given,
      displayName: oneLine(identity.displayName ?? '') || source.defaultDisplayName,
      passwordHash: null,
      ...(isRow(source) ? {} : { [source.column]: identity.id }),
    });
    if (isRow(source)) await this.link(manager, source, identity, user.id);
    return user;
  }

  /** Returns candidate usernames: the provider's name, then a number after the newest user's id, then a random one. */
  private async names({ namePrefix }: IdentitySource, { username }: Identity): Promise<string[]> {
    const preferred = usernameRule.safeParse(username ?? '');
    const [row] = await this.deps.users.query<Array<{ next: number }>>(
      'SELECT coalesce(max(id), 0) + 1 AS next FROM users',
    );
    const numbered = Array.from({ length: numberedNames }, (_, index) => `${namePrefix}_${(row?.next ?? 1) + index}`);
    return [
      ...(preferred.success ? [preferred.data] : []),
      ...numbered,
      `${namePrefix}_${randomAlphanumeric(10)}`,
      `${namePrefix}_${randomAlphanumeric(10)}`,
    ];
  }

  /** Returns the address, or '' when another user has it. */
  private async freeEmail(email: string | undefined): Promise<string> {
    if (!email || email.length > 50 || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return '';
    const taken = await this.deps.users
      .createQueryBuilder('account')
      .withDeleted()
      .where('lower(account.email) = lower(:email)', { email })
      .getExists();
    return taken ? '' : email;
  }
}

function living(user: User): User {
  if (user.deletedAt) throw new AppError('USER_BANNED', 'User has been deactivated');
  return user;
}

/** Returns the name of the unique index: `githubId` is unique by `users_github_id`. */
const indexOf = (source: IdentitySource): string =>
  isRow(source)
    ? 'sign_in_links_pkey'
    : `users_${source.column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

const oneLine = (text: string): string => [...text.replace(/\p{Cc}/gu, ' ').trim()].slice(0, 20).join('');
