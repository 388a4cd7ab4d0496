import { isDeepStrictEqual } from 'node:util';
import { In, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange } from '../../shared/audit.js';
import type { BulkResult } from '../../shared/bulk.js';
import { InvalidInputError } from '../../shared/errors.js';
import { assertIdList } from '../../shared/id-list.js';
import { maxInt32 } from '../../shared/limits.js';
import { LogType } from '../logs/index.js';
import { auditedFields, channelChange } from './channel-audit.js';
import { assertMayRedirect } from './channel-redirect.js';
import { Channel } from './channel.entity.js';
import { namesOf, parseFields, type ChannelFields, type ChannelInput } from './channel-input.js';
import type { ChannelDeps } from './channel.service.js';

/** Changes for all channels of a tag. Absent fields stay unchanged; an empty tag removes the tag. */
export type TagChange = Pick<ChannelInput, 'priority' | 'weight' | 'modelMapping' | 'models' | 'groups'> & {
  readonly newTag?: string;
};

/** Changes many channels at once; for admins. Each call is one transaction, one log row and one announcement. */
export class ChannelBulkService {
  constructor(private readonly deps: Pick<ChannelDeps, 'channels' | 'changes' | 'usageLog' | 'auditLog'>) {}

  /** @throws AppError INVALID_INPUT for no ids or too many */
  async delete(actor: MaybeActor, ids: readonly number[]): Promise<BulkResult> {
    const admin = requirePermission(actor, 'channels.write');
    return this.changeListed(admin, ids, 'Deleted', (manager, which) => remove(manager, which));
  }

  /** Enables or disables these channels. @throws AppError INVALID_INPUT for no ids or too many */
  async setStatus(actor: MaybeActor, ids: readonly number[], enabled: boolean): Promise<BulkResult> {
    const admin = requirePermission(actor, 'channels.write');
    const status = enabled ? 'enabled' : 'disabled';
    return this.changeListed(admin, ids, enabled ? 'Enabled' : 'Disabled', (manager, which) =>
      update(manager, which, { status }),
    );
  }

  /**
   * Deletes channels that were disabled manually or automatically.
   * @returns the number deleted
   */
  async deleteDisabled(actor: MaybeActor): Promise<number> {
    const admin = requirePermission(actor, 'channels.write');
    const status = In(['disabled', 'autoDisabled']);
    return (await this.change(admin, 'Deleted disabled channels:', (manager) => remove(manager, { status }))).length;
  }

  /** @param tag empty removes the tag @throws AppError INVALID_INPUT */
  async setTag(actor: MaybeActor, ids: readonly number[], tag: string): Promise<BulkResult> {
    const admin = requirePermission(actor, 'channels.write');
    const fields = parseFields({ tag });
    return this.changeListed(admin, ids, `Tagged "${fields.tag ?? ''}"`, (manager, which) =>
      update(manager, which, fields),
    );
  }

  /** @throws AppError INVALID_INPUT for no ids, too many, no change or an invalid field */
  async update(actor: MaybeActor, ids: readonly number[], given: ChannelInput): Promise<BulkResult> {
    const admin = requirePermission(actor, 'channels.write');
    const fields = parseFields(given);
    assertMayRedirect(admin, null, fields);
    if (Object.keys(fields).length === 0) throw new InvalidInputError('Nothing to change');
    return this.changeListed(admin, ids, 'Changed', (manager, which) => update(manager, which, fields));
  }

  /**
   * @returns the number of channels with the tag
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT
   */
  async setTagStatus(actor: MaybeActor, tag: string, enabled: boolean): Promise<number> {
    const admin = requirePermission(actor, 'channels.write');
    if (tag === '') throw new InvalidInputError('Invalid parameter', 'tag');
    const status = enabled ? 'enabled' : 'disabled';
    const done = `${enabled ? 'Enabled' : 'Disabled'} tag "${tag}"`;
    return (await this.change(admin, done, (manager) => update(manager, { tag }, { status }))).length;
  }

  /**
   * @returns the number of channels that had the tag
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT
   */
  async editTag(actor: MaybeActor, tag: string, { newTag, ...given }: TagChange): Promise<number> {
    const admin = requirePermission(actor, 'channels.write');
    if (tag === '') throw new InvalidInputError('Tag must not be empty', 'tag');
    const fields = parseFields({ ...given, ...(newTag === undefined ? {} : { tag: newTag }) });
    return (await this.change(admin, `Changed tag "${tag}"`, (manager) => update(manager, { tag }, fields))).length;
  }

  /**
   * Normalises the model and group lists of imported rows, and makes every node reload all channels.
   * @returns the number of changed rows
   */
  async fix(actor: MaybeActor): Promise<number> {
    const admin = requirePermission(actor, 'channels.write');
    const repaired = await this.change(admin, 'Repaired', async (manager) => {
      const rows = await manager.find(Channel, {
        select: { id: true, models: true, groups: true },
        order: { id: 'ASC' },
        lock: { mode: 'pessimistic_write' },
      });
      const repairs = rows
        .map(({ id, models, groups }) => {
          const named = namesOf(groups);
          const after = { models: namesOf(models), groups: named.length > 0 ? named : ['default'] };
          return { id, before: { models, groups }, after };
        })
        .filter(({ before, after }) => !isDeepStrictEqual(before, after));
      for (const { id, after } of repairs) await manager.update(Channel, { id }, after);
      return repairs.map(({ id, before, after }) => channelChange('fix', id, before, after));
    });
    return repaired.length;
  }

  /** Changes the channels of a list. Ids that do not exist are in `failed`. */
  private async changeListed(
    admin: Actor,
    ids: readonly number[],
    done: string,
    work: (manager: EntityManager, which: Which) => Promise<AuditChange[]>,
  ): Promise<BulkResult> {
    assertIdList(ids, 'Invalid parameter');
    const listed = [...new Set(ids)];
    const storable = listed.filter((id) => Number.isSafeInteger(id) && id > 0 && id <= maxInt32);
    const found = new Set(await this.change(admin, done, (manager) => work(manager, { id: In(storable) })));
    return {
      done: listed.filter((id) => found.has(id)),
      failed: listed
        .filter((id) => !found.has(id))
        .map((id) => ({ id, code: 'NOT_FOUND', message: `Channel ${id} does not exist` })),
    };
  }

  /** @returns ids of the changed channels */
  private async change(
    actor: Actor,
    done: string,
    work: (manager: EntityManager) => Promise<AuditChange[]>,
  ): Promise<number[]> {
    const changed = await this.deps.channels.manager.transaction(async (manager) => {
      const changes = await work(manager);
      const affected = changes.length;
      const content = `${done} (${affected} ${affected === 1 ? 'channel' : 'channels'})`;
      const { id: userId, username } = actor;
      await this.deps.usageLog.record(manager, { type: LogType.manage, userId, username, content });
      await this.deps.auditLog.write(manager, actor, ...changes);
      return changes.map(({ id }) => Number(id));
    });
    await this.deps.changes.announce({ kind: 'channel' });
    return changed;
  }
}

type Which = FindOptionsWhere<Channel>;

async function update(
  manager: EntityManager,
  which: Which,
  fields: Partial<Omit<ChannelFields, 'key'>>,
): Promise<AuditChange[]> {
  const rows = await lock(manager, which);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0 && Object.keys(fields).length > 0) await manager.update(Channel, { id: In(ids) }, fields);
  return rows.map((row) => channelChange('update', row.id, auditedFields(row), { ...auditedFields(row), ...fields }));
}

async function remove(manager: EntityManager, which: Which): Promise<AuditChange[]> {
  const rows = await lock(manager, which);
  if (rows.length > 0) await manager.delete(Channel, { id: In(rows.map(({ id }) => id)) });
  return rows.map((row) => channelChange('delete', row.id, auditedFields(row), null));
}

/** Locks the channels in the order of ids, like settlements, so that the two cannot deadlock. */
function lock(manager: EntityManager, which: Which): Promise<Channel[]> {
  return manager.find(Channel, { where: which, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
}
