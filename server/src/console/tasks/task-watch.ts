import { In, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import { RowWatch } from '../../platform/live/row-watch.js';
import type { Signals } from '../../platform/live/signals.js';
import { requireActor, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { CreativeTask } from './creative-task.entity.js';
import { asOwn } from './creative-task.service.js';
import type { Drawing } from './drawing.entity.js';
import type { DrawingService } from './drawing.service.js';

export interface TaskWatchDeps {
  readonly drawings: Pick<DrawingService, 'byIds'>;
  readonly tasks: Repository<CreativeTask>;
  readonly changes: Changes;
  readonly signals: Signals;
  readonly report: (error: unknown) => void;
}

/** Delivers drawings and creative tasks as they change. */
export class TaskWatch {
  private readonly drawings: RowWatch<Drawing>;
  private readonly tasks: RowWatch<CreativeTask>;

  constructor({ drawings, tasks, changes, signals, report }: TaskWatchDeps) {
    this.drawings = new RowWatch({ signals, report, read: (ids) => drawings.byIds(ids) });
    this.tasks = new RowWatch({ signals, report, read: (ids) => tasks.findBy({ id: In([...ids]) }) });
    changes.on('drawing', ({ id }) => this.drawings.touch(typeof id === 'number' ? [id] : null));
    changes.on('creativeTask', ({ id }) => this.tasks.touch(typeof id === 'number' ? [id] : null));
  }

  /**
   * Delivers drawings of all users, from now on.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async allDrawings(actor: MaybeActor): Promise<AsyncIterableIterator<Delivery<Drawing>>> {
    requirePermission(actor, 'tasks.read');
    return this.drawings.watch({ sees: () => true, show: (drawing) => drawing, reportDeleted: true });
  }

  async ownDrawings(actor: MaybeActor): Promise<AsyncIterableIterator<Delivery<Drawing>>> {
    const { id } = requireActor(actor);
    return this.drawings.watch({ sees: ({ userId }) => userId === id, show: (row) => row, reportDeleted: false });
  }

  /**
   * Delivers creative tasks of all users, from now on.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async allTasks(actor: MaybeActor): Promise<AsyncIterableIterator<Delivery<CreativeTask>>> {
    requirePermission(actor, 'tasks.read');
    return this.tasks.watch({ sees: () => true, show: (task) => task, reportDeleted: true });
  }

  /** Delivers the caller's own tasks, without the channels that run them. */
  async ownTasks(actor: MaybeActor): Promise<AsyncIterableIterator<Delivery<CreativeTask>>> {
    const { id } = requireActor(actor);
    return this.tasks.watch({ sees: ({ userId }) => userId === id, show: asOwn, reportDeleted: false });
  }
}
