import { In, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange } from '../../shared/audit.js';
import { InvalidInputError } from '../../shared/errors.js';
import { assertIdList } from '../../shared/id-list.js';
import { LogType } from '../logs/log.entity.js';
import { auditedFields, channelChange } from './channel-audit.js';
import { Channel, ChannelStatus } from './channel.entity.js';
import { parseFields, type ChannelFields } from './channel-input.js';
import { normaliseList } from './channel-lists.service.js';
import type { ChannelDeps } from './channel.service.js';

/** Changes for all channels of a tag. Absent fields stay unchanged; an empty tag removes the tag. */
export type TagChange = Partial<
  Pick<ChannelFields, 'priority' | 'weight' | 'modelMapping' | 'models' | 'group'> & { readonly newTag: string }
>;

/** Changes many channels at once; for admins. Each call is one transaction, one log row and one announcement. */
export class ChannelBulkService {
  constructor(private readonly deps: Pick<ChannelDeps, 'channels' | 'changes' | 'usageLog' | 'auditLog'>) {}

  /** @returns the number deleted */
  async delete(actor: MaybeActor, ids: readonly number[]): Promise<number> {
    const admin = requireRole(actor, 'admin');
    assertIdList(ids, 'Invalid parameter');
    return this.change(admin, 'Deleted', (manager) => remove(manager, { id: In([...ids]) }));
  }

  /**
   * Deletes channels that were disabled manually or automatically.
   * @returns the number deleted
   */
  async deleteDisabled(actor: MaybeActor): Promise<number> {
    const admin = requireRole(actor, 'admin');
    const status = In([ChannelStatus.disabled, ChannelStatus.autoDisabled]);
    return this.change(admin, 'Deleted disabled channels:', (manager) => remove(manager, { status }));
  }

  /**
   * @param tag empty removes the tag
   * @returns the number of channels that have it now
   */
  async setTag(actor: MaybeActor, ids: readonly number[], tag: string): Promise<number> {
    const admin = requireRole(actor, 'admin');
    assertIdList(ids, 'Invalid parameter');
    const fields = parseFields({ tag });
    return this.change(admin, `Tagged "${fields.tag ?? ''}"`, (manager) =>
      update(manager, { id: In([...ids]) }, fields),
    );
  }

  /** @returns the number of channels with the tag */
  async setTagStatus(actor: MaybeActor, tag: string, enabled: boolean): Promise<number> {
    const admin = requireRole(actor, 'admin');
    if (tag === '') throw new InvalidInputError('Invalid parameter', 'tag');
    const status = enabled ? ChannelStatus.enabled : ChannelStatus.disabled;
    return this.change(admin, `${enabled ? 'Enabled' : 'Disabled'} tag "${tag}"`, (manager) =>
      update(manager, { tag }, { status }),
    );
  }

  /** @returns the number of channels that had the tag */
  async editTag(actor: MaybeActor, tag: string, { newTag, ...given }: TagChange): Promise<number> {
    const admin = requireRole(actor, 'admin');
    if (tag === '') throw new InvalidInputError('Tag must not be empty', 'tag');
    const fields = parseFields({ ...given, ...(newTag === undefined ? {} : { tag: newTag }) });
    return this.change(admin, `Changed tag "${tag}"`, (manager) => update(manager, { tag }, fields));
  }

  /**
   * Normalises the model and group lists of imported rows, and makes every node reload all channels.
   * @returns the number of changed rows
   */
  async fix(actor: MaybeActor): Promise<number> {
    const admin = requireRole(actor, 'admin');
    return this.change(admin, 'Repaired', async (manager) => {
      const rows = await manager.find(Channel, {
        select: { id: true, models: true, group: true },
        order: { id: 'ASC' },
        lock: { mode: 'pessimistic_write' },
      });
      const repairs = rows
        .map(({ id, models, group }) => ({
          id,
          before: { models, group },
          after: { models: normaliseList(models), group: normaliseList(group) || 'default' },
        }))
        .filter(({ before, after }) => before.models !== after.models || before.group !== after.group);
      for (const { id, after } of repairs) await manager.update(Channel, { id }, after);
      return repairs.map(({ id, before, after }) => channelChange('fix', id, before, after));
    });
  }

  private async change(
    actor: Actor,
    done: string,
    work: (manager: EntityManager) => Promise<AuditChange[]>,
  ): Promise<number> {
    const count = await this.deps.channels.manager.transaction(async (manager) => {
      const changes = await work(manager);
      const affected = changes.length;
      const content = `${done} (${affected} ${affected === 1 ? 'channel' : 'channels'})`;
      const { id: userId, username } = actor;
      await this.deps.usageLog.record(manager, { type: LogType.manage, userId, username, content });
      await this.deps.auditLog.write(manager, actor, ...changes);
      return affected;
    });
    await this.deps.changes.announce({ kind: 'channel' });
    return count;
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

/** In the order of ids, as settlements lock them, so that the two cannot deadlock. */
function lock(manager: EntityManager, which: Which): Promise<Channel[]> {
  return manager.find(Channel, { where: which, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
}
