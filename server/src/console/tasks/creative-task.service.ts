import type { Repository } from 'typeorm';
import { andAmong } from '../../platform/db/conditions.js';
import { requireActor, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { creativeActions, type CreativeTask } from './creative-task.entity.js';
import { videoPlatform } from './video-link.js';
import { assertOwnSort, taskSlice, type TaskFilter, type TaskKind, type TaskSortField } from './task-list.js';

export interface CreativeTaskFilter extends TaskFilter {
  readonly platforms?: readonly string[];
}

/**
 * Returns a task in the form for its user: without its channel and, for a video, without fields that name the provider.
 */
export function asOwn(task: CreativeTask): CreativeTask {
  if (task.platform !== videoPlatform) return { ...task, channelId: 0 };
  const { upstream: _upstream, ...properties } = task.properties;
  return { ...task, channelId: 0, properties, data: null };
}

const kind: TaskKind = { taskId: 'task_id', knownActions: creativeActions };

/** The log of creative tasks. */
export class CreativeTaskService {
  constructor(private readonly tasks: Repository<CreativeTask>) {}

  /**
   * Lists tasks, newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin, INVALID_INPUT
   */
  async list(
    actor: MaybeActor,
    filter: CreativeTaskFilter,
    query: ListQuery<TaskSortField>,
  ): Promise<Slice<CreativeTask>> {
    requirePermission(actor, 'tasks.read');
    return this.read(filter, query);
  }

  /**
   * Lists the caller's own tasks, without their channels.
   * @throws AppError INVALID_INPUT
   */
  async listOwn(
    actor: MaybeActor,
    filter: CreativeTaskFilter,
    query: ListQuery<TaskSortField>,
  ): Promise<Slice<CreativeTask>> {
    const { id } = requireActor(actor);
    assertOwnSort(query);
    const found = await this.read({ ...filter, channelIds: undefined, userIds: [id] }, query);
    return { ...found, items: found.items.map(asOwn) };
  }

  private read(
    { platforms, ...filter }: CreativeTaskFilter,
    query: ListQuery<TaskSortField>,
  ): Promise<Slice<CreativeTask>> {
    const select = this.tasks.createQueryBuilder('task');
    andAmong(select, 'task.platform', platforms);
    return taskSlice(select, kind, filter, query);
  }
}
