import type { EntityManager, Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { requireConfirmed, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { ConflictError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import { pick } from '../../shared/snake-case.js';
import { createTokenBudgets, type NewTokenBudget } from '../../billing/budgets/index.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { assertMayActOn } from '../auth/index.js';
import { newTokenDefaults, tokenFieldNames, type TokenInput, withInput } from './token-input.js';
import type { TokenRotation } from './token-rotation.js';
import { Token, User } from '../../billing/accounts/index.js';
import type { TokenService } from './token.service.js';

export interface UserKeyDeps {
  readonly tokens: Repository<Token>;
  readonly tokenService: Pick<TokenService, 'createIn' | 'updateIn' | 'setStatusIn'>;
  readonly rotation: Pick<TokenRotation, 'renewIn'>;
  readonly secrets: Pick<Secrets, 'hash' | 'open'>;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly auditLog: AuditLog;
  readonly changes: Changes;
}

/** A key of a user with its text, which only this response contains. */
export interface UserKey {
  readonly token: Token;
  /** The text of the key, without `sk-`. */
  readonly key: string;
  readonly replayed: boolean;
}

/** The stored result of an idempotency key. It does not contain the text. */
interface StoredKey {
  readonly id: number;
  /** Keyed hash of the text, in hex. */
  readonly keyHash: string;
}

/** Change of a key by an admin. */
export type UserKeyInput = TokenInput & { readonly status?: 'enabled' | 'disabled' | undefined };

/**
 * API keys that admins, or billing systems in their name, make for users whom they outrank. A key can do what its owner could
 * give it: groups and limits are checked for the owner. Every change is audited.
 */
export class UserKeyService {
  constructor(private readonly deps: UserKeyDeps) {}

  /**
   * @param idempotencyKey a retry with the same key returns the API key of the first call
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, NOT_FOUND, INVALID_INPUT, CONFLICT (same idempotency key,
   * other input; or the API key of the first call was rotated or deleted since)
   */
  async create(
    actor: MaybeActor,
    userId: number,
    given: TokenInput,
    budgets: readonly NewTokenBudget[] = [],
    idempotencyKey: string | null = null,
  ): Promise<UserKey> {
    const admin = this.requireAdmin(actor);
    const input = { userId, fields: withInput(newTokenDefaults, given), budgets };
    return this.once(admin, { operation: 'createUserKey', key: idempotencyKey, input }, async (manager) => {
      const owner = await this.ownerOf(manager, admin, userId);
      const { token, key } = await this.deps.tokenService.createIn(manager, owner, given);
      await createTokenBudgets(manager, owner, token.id, budgets);
      await this.audit(manager, admin, 'create', null, token);
      return { token, key };
    });
  }

  /** Replaces the text of a key. @throws AppError as `create` */
  async rotate(
    actor: MaybeActor,
    id: number,
    overlapUntil: Date | null,
    idempotencyKey: string | null = null,
  ): Promise<UserKey> {
    const admin = this.requireAdmin(actor);
    const request = { operation: 'rotateUserKey', key: idempotencyKey, input: { id, overlapUntil } };
    const rotated = await this.once(admin, request, async (manager) => {
      const { before, owner } = await this.lock(manager, admin, id);
      const renewed = await this.deps.rotation.renewIn(manager, owner, id, overlapUntil);
      await this.deps.auditLog.write(manager, admin, {
        action: 'rotate',
        subject: 'token',
        id,
        secrets: ['key'],
        before: { key: before.keyPrefix },
        after: { key: renewed.token.keyPrefix },
      });
      return renewed;
    });
    if (!rotated.replayed) await this.announce(id);
    return rotated;
  }

  /** Changes limits and state. Absent fields keep their value. @throws AppError as `create` */
  async update(actor: MaybeActor, id: number, { status, ...given }: UserKeyInput): Promise<Token> {
    const admin = this.requireAdmin(actor);
    const token = await this.deps.tokens.manager.transaction(async (manager) => {
      const { before, owner } = await this.lock(manager, admin, id);
      await this.deps.tokenService.updateIn(manager, owner, before, given);
      if (status) {
        const changed = await manager.findOneByOrFail(Token, { id });
        await this.deps.tokenService.setStatusIn(manager, changed, status);
      }
      const after = await manager.findOneByOrFail(Token, { id });
      await this.audit(manager, admin, 'update', before, after);
      return after;
    });
    await this.announce(id);
    return token;
  }

  /** Revokes a key. A key that is revoked already is not found. @throws AppError as `create` */
  async revoke(actor: MaybeActor, id: number): Promise<void> {
    const admin = this.requireAdmin(actor);
    await this.deps.tokens.manager.transaction(async (manager) => {
      const { before } = await this.lock(manager, admin, id);
      await manager.softDelete(Token, { id });
      await this.audit(manager, admin, 'delete', before, null);
    });
    await this.announce(id);
  }

  private requireAdmin(actor: MaybeActor): Actor {
    const admin = requirePermission(actor, 'users.keys');
    requireConfirmed(admin);
    return admin;
  }

  private async once(
    admin: Actor,
    request: { readonly operation: string; readonly key: string | null; readonly input: unknown },
    work: (manager: EntityManager) => Promise<{ readonly token: Token; readonly key: string }>,
  ): Promise<UserKey> {
    let made: { readonly token: Token; readonly key: string } | undefined;
    const { result } = await this.deps.idempotency.once<StoredKey>(admin, request, async (manager) => {
      made = await work(manager);
      return { id: made.token.id, keyHash: this.deps.secrets.hash(made.key).toString('hex') };
    });
    return made ? { ...made, replayed: false } : { ...(await this.madeBefore(result)), replayed: true };
  }

  private async madeBefore({ id, keyHash }: StoredKey): Promise<{ readonly token: Token; readonly key: string }> {
    const token = await this.deps.tokens
      .createQueryBuilder('token')
      .addSelect('token.keySealed')
      .where({ id })
      .getOne();
    const key = token && this.deps.secrets.open(token.keySealed);
    if (!token || !key || this.deps.secrets.hash(key).toString('hex') !== keyHash) {
      throw new ConflictError('The key was rotated or deleted since', 'idempotencyKey');
    }
    return { token, key };
  }

  private async lock(
    manager: EntityManager,
    admin: Actor,
    id: number,
  ): Promise<{ readonly before: Token; readonly owner: Actor }> {
    const before = await manager.findOne(Token, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (!before) throw new NotFoundError('Token', id);
    return { before, owner: await this.ownerOf(manager, admin, before.userId) };
  }

  /** The owner, as whom the change is checked. @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES */
  private async ownerOf(manager: EntityManager, admin: Actor, userId: number): Promise<Actor> {
    const owner = await manager.findOneBy(User, { id: userId });
    if (!owner) throw new NotFoundError('User', userId);
    await assertMayActOn(manager, admin, owner, 'change a key of');
    return owner;
  }

  private audit(
    manager: EntityManager,
    admin: Actor,
    action: string,
    before: Token | null,
    after: Token | null,
  ): Promise<void> {
    const id = (before ?? after)?.id ?? 0;
    const change = { before: before && audited(before), after: after && audited(after) };
    return this.deps.auditLog.write(manager, admin, { action, subject: 'token', id, ...change });
  }

  private announce(id: number): Promise<void> {
    return this.deps.changes.announce({ kind: 'token', id });
  }
}

/** The owner of a key and every field that can be set. A limit that is off is null. */
function audited(token: Token): Readonly<Record<string, unknown>> {
  const { userId, status } = token;
  const { modelLimits, modelLimitsEnabled, rateLimit, ...fields } = pick(token, tokenFieldNames);
  return {
    userId,
    status,
    ...fields,
    models: modelLimitsEnabled ? modelLimits : null,
    rateLimit: rateLimit.enabled ? rateLimit : null,
  };
}
