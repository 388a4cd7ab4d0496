import { In, type Repository } from 'typeorm';
import { type CreativeTask } from './creative-task.entity.js';
import { finished } from './task-ledger.js';

/** Reads creative tasks for the relay. No actor is required, because the API key was checked before. */
export class CreativeTaskStore {
  constructor(private readonly tasks: Repository<CreativeTask>) {}

  /** Returns one of the user's tasks; the newest if two providers use the same id. */
  own(userId: number, platform: string, taskId: string): Promise<CreativeTask | null> {
    if (taskId === '') return Promise.resolve(null);
    return this.tasks.findOne({ where: { userId, platform, taskId }, order: { id: 'DESC' } });
  }

  /** Returns a task of any user, for a link that proves that its reader may see it. */
  byTaskId(platform: string, taskId: string): Promise<CreativeTask | null> {
    return taskId === '' ? Promise.resolve(null) : this.tasks.findOneBy({ platform, taskId });
  }

  ownMany(userId: number, platform: string, taskIds: readonly string[]): Promise<CreativeTask[]> {
    const names = taskIds.filter((name) => name !== '');
    if (names.length === 0) return Promise.resolve([]);
    return this.tasks.find({ where: { userId, platform, taskId: In(names) }, order: { id: 'ASC' } });
  }

  /**
   * Returns a page of the user's tasks that were not deleted.
   * @param from the task before the page; null for the first page
   */
  ownPage(
    userId: number,
    platform: string,
    page: { readonly from: CreativeTask | null; readonly limit: number; readonly isAscending: boolean },
  ): Promise<CreativeTask[]> {
    const { from, limit, isAscending } = page;
    const select = this.tasks
      .createQueryBuilder('task')
      .where(`task.user_id = :userId AND task.platform = :platform AND task.task_id <> ''`, { userId, platform })
      .andWhere(`NOT task.properties ? 'deleted'`);
    if (from) {
      select.andWhere(`(task.submit_time, task.id) ${isAscending ? '>' : '<'} (:time, :id)`, {
        time: from.submitTime,
        id: from.id,
      });
    }
    const direction = isAscending ? 'ASC' : 'DESC';
    return select.orderBy('task.submitTime', direction).addOrderBy('task.id', direction).take(limit).getMany();
  }

  /** Hides a finished task from its user. */
  async hide(id: number): Promise<void> {
    await this.tasks.query(`UPDATE tasks SET properties = properties || '{"deleted": true}' WHERE id = $1`, [id]);
  }

  /**
   * Returns unfinished tasks, oldest first.
   * @param after row id
   */
  unfinished(platform: string, after: number, limit: number): Promise<CreativeTask[]> {
    return this.tasks
      .createQueryBuilder('task')
      .where('task.platform = :platform AND task.progress <> :finished AND task.id > :after', {
        platform,
        finished,
        after,
      })
      .orderBy('task.id', 'ASC')
      .take(limit)
      .getMany();
  }
}
