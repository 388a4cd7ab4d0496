import { In, type Repository } from 'typeorm';
import { type CreativeTask } from './creative-task.entity.js';
import { finished } from './task-books.service.js';

/** Reads creative tasks for the relay: without an actor, because the API key was checked before. */
export class CreativeTaskStore {
  constructor(private readonly tasks: Repository<CreativeTask>) {}

  /** One of the user's tasks; the newest if two providers use the same id. */
  own(userId: number, platform: string, taskId: string): Promise<CreativeTask | null> {
    if (taskId === '') return Promise.resolve(null);
    return this.tasks.findOne({ where: { userId, platform, taskId }, order: { id: 'DESC' } });
  }

  ownMany(userId: number, platform: string, taskIds: readonly string[]): Promise<CreativeTask[]> {
    const names = taskIds.filter((name) => name !== '');
    if (names.length === 0) return Promise.resolve([]);
    return this.tasks.find({ where: { userId, platform, taskId: In(names) }, order: { id: 'ASC' } });
  }

  /**
   * Oldest first.
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
