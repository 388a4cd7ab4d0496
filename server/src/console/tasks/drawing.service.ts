import { In, type Repository } from 'typeorm';
import { requireActor, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../../options/option.service.js';
import { drawingActions, type Drawing } from './drawing.entity.js';
import { imageLink } from './image-link.js';
import { assertOwnSort, taskSlice, type TaskFilter, type TaskKind, type TaskSortField } from './task-list.js';

export interface DrawingServiceDeps {
  readonly drawings: Repository<Drawing>;
  readonly secrets: Secrets;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

const kind: TaskKind = { taskId: 'mj_id', knownActions: drawingActions };

/** The log of drawings. Images are shown by signed links of this site. */
export class DrawingService {
  constructor(private readonly deps: DrawingServiceDeps) {}

  /**
   * Lists drawings, newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin, INVALID_INPUT
   */
  async list(actor: MaybeActor, filter: TaskFilter, query: ListQuery<TaskSortField>): Promise<Slice<Drawing>> {
    requirePermission(actor, 'tasks.read');
    return this.read(filter, query);
  }

  /**
   * Lists the caller's own drawings, without their channels.
   * @throws AppError INVALID_INPUT
   */
  async listOwn(actor: MaybeActor, filter: TaskFilter, query: ListQuery<TaskSortField>): Promise<Slice<Drawing>> {
    const { id } = requireActor(actor);
    assertOwnSort(query);
    const found = await this.read({ ...filter, channelIds: undefined, userIds: [id] }, query);
    return { ...found, items: found.items.map((drawing) => ({ ...drawing, channelId: 0 })) };
  }

  /** Reads drawings by id. No actor is required: callers check who may see the rows. */
  async byIds(ids: readonly number[]): Promise<Drawing[]> {
    return this.linked(await this.deps.drawings.findBy({ id: In([...ids]) }));
  }

  private async read(filter: TaskFilter, query: ListQuery<TaskSortField>): Promise<Slice<Drawing>> {
    const found = await taskSlice(this.deps.drawings.createQueryBuilder('drawing'), kind, filter, query);
    return { ...found, items: this.linked(found.items) };
  }

  private linked(drawings: readonly Drawing[]): Drawing[] {
    const { options, secrets, clock } = this.deps;
    const now = clock.now();
    return drawings.map((drawing) => ({ ...drawing, imageUrl: imageLink(drawing, options.values, secrets, now) }));
  }
}
