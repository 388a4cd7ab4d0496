import type { Repository } from 'typeorm';
import { requireActor, requireRole, type MaybeActor } from '../../shared/actor.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { CreativeTask } from './creative-task.entity.js';
import { taskPage } from './task-list.js';

/** Which tasks are asked for; an absent field asks nothing. Times are Unix seconds, both ends included. */
export interface CreativeTaskFilter {
  readonly channelId?: number;
  readonly taskId?: string;
  readonly platform?: string;
  readonly userId?: number;
  readonly action?: string;
  readonly status?: string;
  readonly from?: number;
  readonly to?: number;
}

/** The log of creative tasks: who may read what of it. */
export class CreativeTaskService {
  constructor(private readonly tasks: Repository<CreativeTask>) {}

  /** Newest first. @throws AppError INSUFFICIENT_PRIVILEGES below admin, INVALID_INPUT */
  async list(actor: MaybeActor, filter: CreativeTaskFilter, page: PageQuery): Promise<Page<CreativeTask>> {
    requireRole(actor, 'admin');
    return this.read(filter, page);
  }

  /** The caller's own; which channel made them is not told. */
  async listOwn(actor: MaybeActor, filter: CreativeTaskFilter, page: PageQuery): Promise<Page<CreativeTask>> {
    const { id } = requireActor(actor);
    const found = await this.read({ ...filter, channelId: undefined, userId: id }, page);
    return { ...found, items: found.items.map((task) => ({ ...task, channelId: 0 })) };
  }

  private read({ from, to, ...exact }: CreativeTaskFilter, page: PageQuery): Promise<Page<CreativeTask>> {
    return taskPage(this.tasks.createQueryBuilder('task'), { exact, range: { from, to } }, page);
  }
}
