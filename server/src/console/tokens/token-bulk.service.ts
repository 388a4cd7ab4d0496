import { In, type EntityManager, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { holds, ownKeys, requireAccount, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError, isAppError, NotFoundError } from '../../shared/errors.js';
import { assertIdList } from '../../shared/id-list.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { maxInt32 } from '../../shared/limits.js';
import type { GroupService } from '../groups/index.js';
import { assertMayActOn } from '../auth/index.js';
import { Token, User } from '../../billing/accounts/index.js';
import { assertCanBeEnabled, shownStatus } from './token-input.js';

/** Maximum number of keys that one call may change: as many as the largest page of a list has rows. */
const maxBulkTokens = 100;

/**
 * Returns the change of one row; null leaves it unchanged.
 * @throws AppError when the row cannot be changed in this way
 */
type Decide = (token: Token, ownersGroup: string, manager: EntityManager) => Decision | Promise<Decision>;
type Decision = Partial<Pick<Token, 'status' | 'group' | 'deletedAt'>> | null;

export interface TokenBulkDeps {
  readonly tokens: Repository<Token>;
  readonly groups: Pick<GroupService, 'namesUsableIn'>;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
}

/**
 * Changes many API keys at once: the caller's own, and with `users.write` keys of users whom the caller outranks. Each
 * call is one transaction with one statement for all rows, and writes one audit entry for each changed row. Repeating a
 * call changes nothing and has the same result.
 */
export class TokenBulkService {
  constructor(private readonly deps: TokenBulkDeps) {}

  /**
   * Enables keys. Expired and exhausted keys are in `failed`.
   * @throws AppError INVALID_INPUT for no ids or too many
   */
  enable(actor: MaybeActor, ids: readonly number[]): Promise<BulkResult> {
    const now = this.deps.clock.now();
    return this.change(actor, ids, 'enable', (token) => {
      assertCanBeEnabled(shownStatus(token, now), token, now);
      return token.status === 'enabled' ? null : { status: 'enabled' };
    });
  }

  /** @throws AppError INVALID_INPUT for no ids or too many */
  disable(actor: MaybeActor, ids: readonly number[]): Promise<BulkResult> {
    return this.change(actor, ids, 'disable', ({ status }) => (status === 'disabled' ? null : { status: 'disabled' }));
  }

  /**
   * Deletes keys. Keys that were deleted before count as done.
   * @throws AppError INVALID_INPUT for no ids or too many
   */
  delete(actor: MaybeActor, ids: readonly number[]): Promise<BulkResult> {
    const deletedAt = new Date(this.deps.clock.now());
    return this.change(actor, ids, 'delete', (token) => (token.deletedAt ? null : { deletedAt }));
  }

  /**
   * Sets the group of keys. Keys whose owner cannot use the group are in `failed`.
   * @param group empty for the group of the owner
   * @throws AppError INVALID_INPUT for no ids or too many
   */
  setGroup(actor: MaybeActor, ids: readonly number[], group: string): Promise<BulkResult> {
    const name = group.trim();
    return this.change(actor, ids, 'update', (token, ownersGroup) => {
      if (token.group === name) return null;
      this.assertUsable(name, ownersGroup);
      return { group: name };
    });
  }

  private assertUsable(group: string, ownersGroup: string): void {
    if (group !== '' && !this.deps.groups.namesUsableIn(ownersGroup).includes(group)) {
      throw new InvalidInputError('The owner of this key cannot use this group', 'group');
    }
  }

  /**
   * Returns the fields that `restore` can set.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  async read(actor: MaybeActor, id: number): Promise<Pick<Token, 'status' | 'group'>> {
    requirePermission(actor, 'users.read');
    const token = await this.deps.tokens.findOneBy({ id });
    if (!token) throw new NotFoundError('Token', id);
    return { status: token.status, group: token.group };
  }

  /**
   * Sets the state and the group that a key had before.
   * @param verify checks the locked row
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES; INVALID_INPUT for a state that only the server sets, and for a
   * group that the owner cannot use
   */
  async restore(
    actor: MaybeActor,
    id: number,
    { status, group }: Partial<Pick<Token, 'status' | 'group'>>,
    verify: (manager: EntityManager, token: Readonly<Record<string, unknown>>) => Promise<void>,
  ): Promise<void> {
    if (status === 'expired' || status === 'exhausted') {
      throw new InvalidInputError('Only the server sets this state', 'status');
    }
    const now = this.deps.clock.now();
    const { failed } = await this.change(actor, [id], 'update', async (token, ownersGroup, manager) => {
      await verify(manager, { ...token });
      if (status === 'enabled') assertCanBeEnabled(shownStatus(token, now), token, now);
      if (group !== undefined) this.assertUsable(group, ownersGroup);
      return omitUndefined({ status, group });
    });
    const [failure] = failed;
    if (failure) throw new AppError(failure.code, failure.message);
  }

  private async change(
    actor: MaybeActor,
    ids: readonly number[],
    action: 'enable' | 'disable' | 'delete' | 'update',
    decide: Decide,
  ): Promise<BulkResult> {
    const caller = requireAccount(actor, 'keys.own');
    assertIdList(ids, 'Invalid parameter');
    if (ids.length > maxBulkTokens) throw new InvalidInputError(`At most ${maxBulkTokens} ids at a time`, 'ids');
    const listed = [...new Set(ids)];
    const done: number[] = [];
    const failed: BulkFailure[] = [];
    const changed = await this.deps.tokens.manager.transaction(async (manager) => {
      const found = await lock(manager, caller, listed, action === 'delete');
      const refusals = await ownersOf(manager, caller, found);
      const changes: AuditChange[] = [];
      let set: Partial<Token> = {};
      for (const id of listed) {
        try {
          const token = found.get(id);
          if (!token) throw new NotFoundError('Token', id);
          const wanted = await decide(token, refusals.groupOf(token), manager);
          if (wanted) {
            set = wanted;
            changes.push(changeOf(action, token, wanted));
          }
          done.push(id);
        } catch (error) {
          if (!isAppError(error)) throw error;
          failed.push({ id, code: error.code, message: error.message });
        }
      }
      const which = changes.map(({ id }) => Number(id));
      if (which.length > 0) await manager.update(Token, { id: In(which) }, set);
      await this.deps.auditLog.write(manager, caller, ...changes);
      return which;
    });
    await this.deps.changes.announce(...changed.map((id) => ({ kind: 'token' as const, id })));
    return { done, failed };
  }
}

/**
 * Locks the keys in the order of ids, like settlements. Keys of other users are not read for callers who may not change
 * them, so the response is that of a key that does not exist.
 */
async function lock(
  manager: EntityManager,
  caller: Actor,
  ids: readonly number[],
  withDeleted: boolean,
): Promise<Map<number, Token>> {
  const storable = ids.filter((id) => Number.isSafeInteger(id) && id > 0 && id <= maxInt32);
  const rows = await manager.find(Token, {
    where: { id: In(storable), ...(holds(caller, 'users.write') ? {} : ownKeys(caller)) },
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
    withDeleted,
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Reads the owners of these keys in one statement, and decides once for each whether the caller may change their keys.
 */
async function ownersOf(manager: EntityManager, caller: Actor, found: ReadonlyMap<number, Token>) {
  const others = new Set([...found.values()].map(({ userId }) => userId).filter((id) => id !== caller.id));
  const rows = others.size === 0 ? [] : await manager.find(User, { where: { id: In([...others]) }, withDeleted: true });
  const owners = new Map<number, { group: string; refusal: unknown }>([
    [caller.id, { group: caller.group, refusal: null }],
  ]);
  for (const row of rows) {
    const refusal = await assertMayActOn(manager, caller, row, 'change a key of').then(
      () => null,
      (error: unknown) => error,
    );
    owners.set(row.id, { group: row.group, refusal });
  }
  return {
    /** @throws AppError INSUFFICIENT_PRIVILEGES for keys of users whom the caller does not outrank */
    groupOf({ id, userId }: Token): string {
      const owner = owners.get(userId);
      if (!owner) throw new NotFoundError('Token', id);
      if (owner.refusal) throw owner.refusal as Error;
      return owner.group;
    },
  };
}

function changeOf(action: string, token: Token, set: Partial<Token>): AuditChange {
  const { id, userId, name, status, group } = token;
  const before = { userId, name, status, group };
  const after = set.deletedAt ? null : { ...before, ...set };
  return { action, subject: 'token', id, before, after };
}
