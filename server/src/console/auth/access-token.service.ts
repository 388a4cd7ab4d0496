import { randomBytes } from 'node:crypto';
import type { EntityManager, Repository } from 'typeorm';
import { z } from 'zod';
import type { Changes } from '../../platform/cache/changes.js';
import {
  accessScopes,
  administers,
  permissionsOf,
  requireActor,
  requireConfirmed,
  requireUnscoped,
  type AccessScope,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { nameRule } from '../../shared/name-rule.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Secrets } from '../../shared/secrets.js';
import { AccessToken } from './access-token.entity.js';
import type { SessionService } from './session.service.js';

/**
 * Distinguishes a named access token from the system access token of the REST contract, which is base64 and has no
 * hyphen.
 */
export const namedTokenPrefix = 'tga-';
const maxTokens = 20;
const usedEveryMilliseconds = 60_000;

export interface NewAccessToken {
  readonly name: string;
  readonly scopes: readonly AccessScope[];
  /** When the token expires. Null or absent when it does not. */
  readonly expiresAt?: Date | null;
}

const newAccessToken = z.object({
  name: nameRule,
  scopes: z.array(z.enum(accessScopes)).min(1, 'scopes must not be empty').max(accessScopes.length),
  expiresAt: z.date().nullish(),
});

/** Named access tokens for dashboards and programs. Each has fewer rights than its user and is revoked separately. */
export class AccessTokenService {
  constructor(
    private readonly deps: {
      readonly accessTokens: Repository<AccessToken>;
      readonly sessions: Pick<SessionService, 'assertNotEnded'>;
      readonly secrets: Secrets;
      readonly changes: Changes;
      readonly auditLog: AuditLog;
      readonly clock: Clock;
    },
  ) {}

  /** Returns the caller's own tokens, newest first. Expired tokens are listed until they are revoked. */
  async list(actor: MaybeActor): Promise<AccessToken[]> {
    const { id: userId } = requireActor(actor);
    return this.deps.accessTokens.find({ where: { userId }, order: { id: 'DESC' } });
  }

  /**
   * @returns the row, and the token, which is shown only once
   * @throws AppError INVALID_INPUT, CONFLICT (name in use, too many tokens), INSUFFICIENT_PRIVILEGES (ADMIN_READ for a
   * common user, or a caller who used a named token), NOT_SIGNED_IN (the caller's session was ended meanwhile)
   */
  async create(actor: MaybeActor, input: NewAccessToken): Promise<{ row: AccessToken; token: string }> {
    const self = requireUnscoped(actor);
    requireConfirmed(self);
    const parsed = newAccessToken.safeParse(input);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new InvalidInputError(`Invalid input: ${issue?.message ?? 'not valid'}`, issue?.path.join('.'));
    }
    const { name, expiresAt = null } = parsed.data;
    const scopes = accessScopes.filter((scope) => parsed.data.scopes.includes(scope));
    if (expiresAt && expiresAt.getTime() <= this.deps.clock.now()) {
      throw new InvalidInputError('expiresAt must be in the future', 'expiresAt');
    }
    const admins = scopes.find((scope) => scope === 'ADMIN_READ' || scope === 'BILLING');
    if (admins && permissionsOf(self).length === 0) {
      throw new ForbiddenError(`Only admins can create access tokens with the scope ${admins}`);
    }
    const token = `${namedTokenPrefix}${randomBytes(32).toString('base64url')}`;
    const row = { userId: self.id, name, scopes, expiresAt, tokenHash: this.deps.secrets.hash(token) };
    try {
      await this.deps.accessTokens.manager.transaction(async (manager) => {
        // The check locks the user's row, which also makes the count exact.
        await this.deps.sessions.assertNotEnded(manager, self);
        if ((await manager.countBy(AccessToken, { userId: self.id })) >= maxTokens) {
          throw new ConflictError(`A user can have at most ${maxTokens} access tokens`);
        }
        await manager.insert(AccessToken, row);
        await this.audit(manager, self, 'createAccessToken', null, row);
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'access_tokens_user_id_name')) throw error;
      throw new ConflictError('An access token with this name exists already', 'name');
    }
    return { row: await this.deps.accessTokens.findOneByOrFail({ userId: self.id, name }), token };
  }

  /**
   * @returns the deleted row
   * @throws AppError NOT_FOUND, also for tokens of other users
   */
  async revoke(actor: MaybeActor, id: number): Promise<AccessToken> {
    const self = requireUnscoped(actor);
    const row = await this.deps.accessTokens.manager.transaction(async (manager) => {
      const found = await manager.findOneBy(AccessToken, { id, userId: self.id });
      if (!found) throw new NotFoundError('Access token', id);
      await manager.delete(AccessToken, { id });
      await this.audit(manager, self, 'revokeAccessToken', found, null);
      return found;
    });
    await this.deps.changes.announce({ kind: 'session', id: self.id });
    return row;
  }

  private async audit(
    manager: EntityManager,
    self: Actor,
    action: string,
    before: NewAccessToken | null,
    after: NewAccessToken | null,
  ): Promise<void> {
    if (!administers(self)) return;
    const shown = (row: NewAccessToken | null) =>
      row && { name: row.name, scopes: row.scopes.join(', '), expiresAt: row.expiresAt };
    const change = { action, subject: 'user', id: self.id, before: shown(before), after: shown(after) } as const;
    await this.deps.auditLog.write(manager, self, change);
  }

  /** Returns the valid token with this text, or null. */
  async find(token: string): Promise<AccessToken | null> {
    const row = await this.deps.accessTokens.findOneBy({ tokenHash: this.deps.secrets.hash(token) });
    const now = this.deps.clock.now();
    if (!row || (row.expiresAt && row.expiresAt.getTime() <= now)) return null;
    if (!row.lastUsedAt || now - row.lastUsedAt.getTime() > usedEveryMilliseconds) {
      await this.deps.accessTokens.update({ id: row.id }, { lastUsedAt: new Date(now) });
    }
    return row;
  }
}
