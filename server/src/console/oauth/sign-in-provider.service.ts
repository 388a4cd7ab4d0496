import { z } from 'zod';
import type { EntityManager, Repository } from 'typeorm';
import { requireActor, requireConfirmed, requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { Changes } from '../../platform/cache/changes.js';
import { Loader } from '../../platform/cache/loader.js';
import type { AuditLog } from '../../shared/audit.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Secrets } from '../../shared/secrets.js';
import { sources } from './identity-provider.js';
import { standardClaims } from './oidc-provider.js';
import { SignInLink, SignInProvider, type ProfileClaims } from './sign-in-provider.entity.js';

const address = z
  .string()
  .trim()
  .max(2000)
  .refine((text) => text === '' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)), {
    message: 'must be an http:// or https:// address',
  });
const claim = z.string().trim().max(100);
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, 'must list domains such as example.com');

const fieldShape = z.object({
  slug: z.string().regex(/^[a-z][a-z0-9-]{1,31}$/, 'must be 2 to 32 lower-case letters, digits and hyphens'),
  name: z.string().trim().min(1).max(50),
  icon: address,
  enabled: z.boolean(),
  issuer: address,
  authorizationEndpoint: address,
  tokenEndpoint: address,
  userInfoEndpoint: address,
  oauthClientId: z.string().trim().min(1).max(500),
  /** Empty: the stored one stays. */
  clientSecret: z.string().max(4000),
  scopes: z.string().trim().min(1).max(500),
  claims: z.object({ subject: claim.min(1), username: claim, name: claim, email: claim, emailVerified: claim }),
  allowedDomains: z.array(domain).max(100),
});
export type ProviderInput = z.input<typeof fieldShape>;

const defaults: Omit<ProviderInput, 'slug' | 'name' | 'oauthClientId'> = {
  icon: '',
  enabled: true,
  issuer: '',
  authorizationEndpoint: '',
  tokenEndpoint: '',
  userInfoEndpoint: '',
  clientSecret: '',
  scopes: 'openid profile email',
  claims: standardClaims,
  allowedDomains: [],
};

export interface SignInProviderDeps {
  readonly providers: Repository<SignInProvider>;
  readonly secrets: Secrets;
  readonly auditLog: AuditLog;
  readonly changes: Changes;
  /** How long the offered providers are cached, should the announcement of a change be lost. */
  readonly syncSeconds: number;
}

/** Providers that root adds as rows, and what visitors and users see of them. */
export class SignInProviderService {
  private readonly offers: Loader<'all', SignInProvider[]>;

  constructor(private readonly deps: SignInProviderDeps) {
    this.offers = new Loader({
      max: 1,
      lifetimeSeconds: deps.syncSeconds,
      load: () => deps.providers.find({ where: { enabled: true }, order: { id: 'ASC' } }),
    });
    deps.changes.on('option', () => this.offers.clear());
  }

  /** The providers that visitors may choose, in the order in which they were added. Cached: every page of the console has them. */
  async offered(): Promise<readonly SignInProvider[]> {
    return (await this.offers.get('all')) ?? [];
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES below root: another admin could sign in as root through a provider of their own */
  async list(actor: MaybeActor): Promise<SignInProvider[]> {
    requireRole(actor, 'root');
    return this.deps.providers.find({ order: { id: 'ASC' } });
  }

  /** The providers at which the caller has an account that is bound here. */
  async bound(actor: MaybeActor): Promise<SignInProvider[]> {
    const { id } = requireActor(actor);
    return this.deps.providers
      .createQueryBuilder('one')
      .where('one.id IN (SELECT l.provider_id FROM sign_in_links l WHERE l.user_id = :id)', { id })
      .orderBy('one.id')
      .getMany();
  }

  /** @throws AppError INVALID_INPUT for an unknown provider, and for one that is off */
  async open(slug: string): Promise<{ provider: SignInProvider; secret: string }> {
    const provider = await this.deps.providers
      .createQueryBuilder('one')
      .addSelect('one.clientSecretSealed')
      .where('one.slug = :slug AND one.enabled', { slug })
      .getOne();
    if (!provider) throw new InvalidInputError('This sign-in provider is not enabled', 'provider');
    const sealed = provider.clientSecretSealed;
    return { provider, secret: sealed === '' ? '' : this.deps.secrets.open(sealed) };
  }

  /**
   * Adds a provider. Absent fields have their defaults.
   * @throws AppError INVALID_INPUT, CONFLICT (the slug is taken), CONFIRMATION_NEEDED
   */
  async create(actor: MaybeActor, input: Partial<ProviderInput>): Promise<SignInProvider> {
    const root = this.writer(actor);
    const { clientSecret, ...fields } = parseFields({ ...defaults, ...input });
    return this.write(async (manager) => {
      const provider = await manager.save(
        manager.create(SignInProvider, { ...fields, clientSecretSealed: this.seal(clientSecret) }),
      );
      await this.audit(manager, root, 'create', null, provider);
      return provider;
    });
  }

  /**
   * Changes a provider. Absent fields stay. The slug stays as it is: it is part of the address that the provider knows. The issuer and the
   * claim of the id stay while accounts are bound: the same id could be another person's elsewhere.
   * @throws AppError INVALID_INPUT, NOT_FOUND, CONFLICT, CONFIRMATION_NEEDED
   */
  async update(actor: MaybeActor, id: number, input: Partial<ProviderInput>): Promise<SignInProvider> {
    const root = this.writer(actor);
    return this.write(async (manager) => {
      const before = await manager.findOneBy(SignInProvider, { id });
      if (!before) throw new NotFoundError('Sign-in provider', id);
      const { clientSecret, ...fields } = parseFields({ clientSecret: '', ...pickInput(before), ...input });
      if (fields.slug !== before.slug) throw new InvalidInputError('The slug cannot be changed', 'slug');
      const moves = (['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'userInfoEndpoint'] as const).some(
        (name) => fields[name] !== before[name],
      );
      if (
        (moves || fields.claims.subject !== before.claims.subject) &&
        (await manager.countBy(SignInLink, { providerId: id })) > 0
      ) {
        throw new ConflictError('Accounts are bound: add another provider instead of changing its addresses', 'issuer');
      }
      const after = manager.create(SignInProvider, {
        ...before,
        ...fields,
        ...(clientSecret === '' ? {} : { clientSecretSealed: this.seal(clientSecret) }),
      });
      await manager.save(after);
      await this.audit(manager, root, 'update', before, after);
      return after;
    });
  }

  /**
   * Deletes a provider and the links of accounts to it. Refused while an account has no other sign-in method.
   * @throws AppError NOT_FOUND, CONFLICT, CONFIRMATION_NEEDED
   */
  async remove(actor: MaybeActor, id: number): Promise<void> {
    const root = this.writer(actor);
    await this.write(async (manager) => {
      const before = await manager.findOneBy(SignInProvider, { id });
      if (!before) throw new NotFoundError('Sign-in provider', id);
      const [locked] = await manager.query<Array<{ users: string }>>(
        `SELECT count(*) AS users FROM sign_in_links l JOIN users u ON u.id = l.user_id
          WHERE l.provider_id = $1 AND u.deleted_at IS NULL AND u.password_hash IS NULL
            AND concat(u.github_id, u.oidc_id, u.wechat_id, u.telegram_id, u.linux_do_id) = ''
            AND NOT EXISTS (SELECT 1 FROM sign_in_links o WHERE o.user_id = u.id AND o.provider_id <> $1)`,
        [id],
      );
      if (Number(locked?.users) > 0) {
        throw new ConflictError(`${locked?.users} accounts could not sign in any more: turn the provider off instead`);
      }
      await manager.delete(SignInProvider, { id });
      await this.audit(manager, root, 'delete', before, null);
    });
  }

  private writer(actor: MaybeActor): Actor {
    const root = requireRole(actor, 'root');
    requireConfirmed(root);
    return root;
  }

  private seal(secret: string): string {
    return secret === '' ? '' : this.deps.secrets.seal(secret);
  }

  private async write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    try {
      const result = await this.deps.providers.manager.transaction(work);
      await this.deps.changes.announce({ kind: 'option' });
      return result;
    } catch (error) {
      if (isUniqueViolation(error, 'sign_in_providers_slug_key')) {
        throw new ConflictError('Another provider has this slug', 'slug');
      }
      throw error;
    }
  }

  private audit(
    manager: EntityManager,
    root: Actor,
    action: 'create' | 'update' | 'delete',
    before: SignInProvider | null,
    after: SignInProvider | null,
  ): Promise<void> {
    const shown = (one: SignInProvider | null) => one && { provider: one.slug, ...pickInput(one) };
    return this.deps.auditLog.write(manager, root, {
      action,
      subject: 'option',
      id: `sign_in_provider.${(after ?? before)?.slug ?? ''}`,
      before: shown(before),
      after: shown(after),
    });
  }
}

/** The fields of a provider without its secret. */
function pickInput(one: SignInProvider): Omit<ProviderInput, 'clientSecret'> & { claims: ProfileClaims } {
  const { id: _id, clientSecretSealed: _sealed, createdAt: _createdAt, ...fields } = one;
  return fields;
}

function parseFields(input: unknown): z.output<typeof fieldShape> {
  const parsed = fieldShape.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidInputError(
      `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
      String(issue?.path[0] ?? ''),
    );
  }
  const { slug, issuer, authorizationEndpoint, tokenEndpoint, userInfoEndpoint } = parsed.data;
  if (Object.hasOwn(sources, slug)) throw new InvalidInputError('This name belongs to a built-in provider', 'slug');
  if (issuer === '' && !(authorizationEndpoint && tokenEndpoint && userInfoEndpoint)) {
    throw new InvalidInputError('Give the issuer, or all three addresses', 'issuer');
  }
  return parsed.data;
}
