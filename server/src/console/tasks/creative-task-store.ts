import type { Repository, SelectQueryBuilder } from 'typeorm';
import { isOpenToMember, type RowReader } from '../../billing/organisations/index.js';
import { type CreativeTask } from './creative-task.entity.js';
import { finished } from './task-ledger.js';

/** The platform of batches of calls, whichever maker they are at. */
export const batchPlatform = 'batch';

/** Reads creative tasks for the relay. No actor is required, because the API key was checked before. */
export class CreativeTaskStore {
  constructor(private readonly tasks: Repository<CreativeTask>) {}

  /** Returns one of the tasks that are open to the reader; the newest if two providers use the same id. */
  own(reader: RowReader, platform: string, taskId: string): Promise<CreativeTask | null> {
    if (taskId === '') return Promise.resolve(null);
    return this.open(reader, platform)
      .andWhere('task.task_id = :taskId', { taskId })
      .orderBy('task.id', 'DESC')
      .getOne();
  }

  /** Returns a task of any user, for a link that proves that its reader may see it. */
  byTaskId(platform: string, taskId: string): Promise<CreativeTask | null> {
    return taskId === '' ? Promise.resolve(null) : this.tasks.findOneBy({ platform, taskId });
  }

  ownMany(reader: RowReader, platform: string, taskIds: readonly string[]): Promise<CreativeTask[]> {
    const names = taskIds.filter((name) => name !== '');
    if (names.length === 0) return Promise.resolve([]);
    return this.open(reader, platform).andWhere('task.task_id = ANY (:names)', { names }).orderBy('task.id').getMany();
  }

  /**
   * Returns a page of the tasks that are open to the reader and were not deleted.
   * @param from the task before the page; null for the first page
   * @param api the maker's API, for batches
   */
  ownPage(
    reader: RowReader,
    platform: string,
    page: {
      readonly from: CreativeTask | null;
      readonly limit: number;
      readonly isAscending: boolean;
      readonly api?: string;
    },
  ): Promise<CreativeTask[]> {
    const { from, limit, isAscending, api } = page;
    const select = this.open(reader, platform).andWhere(`task.task_id <> '' AND NOT task.properties ? 'deleted'`);
    if (api !== undefined) select.andWhere(`task.properties #>> '{terms,api}' = :api`, { api });
    if (from) {
      select.andWhere(`(task.submit_time, task.id) ${isAscending ? '>' : '<'} (:time, :id)`, {
        time: from.submitTime,
        id: from.id,
      });
    }
    const direction = isAscending ? 'ASC' : 'DESC';
    return select.orderBy('task.submitTime', direction).addOrderBy('task.id', direction).take(limit).getMany();
  }

  private open({ userId, memberId }: RowReader, platform: string): SelectQueryBuilder<CreativeTask> {
    return this.tasks
      .createQueryBuilder('task')
      .where('task.user_id = :userId AND task.platform = :platform', { userId, platform })
      .andWhere(isOpenToMember('task.token_id', ':memberId'), { memberId });
  }

  /** Hides a finished task from its user. */
  async hide(id: number): Promise<void> {
    await this.tasks.query(`UPDATE tasks SET properties = properties || '{"deleted": true}' WHERE id = $1`, [id]);
  }

  /** Returns which of these users were deleted. */
  async deletedUsers(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.tasks.query<Array<{ id: number }>>(
      'SELECT id FROM users WHERE id = ANY ($1) AND deleted_at IS NOT NULL',
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
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
