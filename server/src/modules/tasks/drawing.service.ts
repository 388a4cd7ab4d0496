import { In, type Repository } from 'typeorm';
import { requireActor, requireRole, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../options/option.service.js';
import type { Drawing } from './drawing.entity.js';
import { imageLink } from './image-link.service.js';
import { taskPage } from './task-list.js';

/** Which drawings are asked for; an absent field asks nothing. Times are Unix milliseconds, both ends included. */
export interface DrawingFilter {
  readonly channelId?: number;
  readonly mjId?: string;
  readonly userId?: number;
  readonly action?: string;
  readonly status?: string;
  readonly from?: number;
  readonly to?: number;
}

export interface DrawingServiceDeps {
  readonly drawings: Repository<Drawing>;
  readonly secrets: Secrets;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

/** The log of drawings: who may read what of it. Pictures are shown by links of ours. */
export class DrawingService {
  constructor(private readonly deps: DrawingServiceDeps) {}

  /** Newest first. @throws AppError INSUFFICIENT_PRIVILEGES below admin, INVALID_INPUT */
  async list(actor: MaybeActor, filter: DrawingFilter, page: PageQuery): Promise<Page<Drawing>> {
    requireRole(actor, 'admin');
    return this.read(filter, page);
  }

  /** The caller's own. */
  async listOwn(actor: MaybeActor, filter: DrawingFilter, page: PageQuery): Promise<Page<Drawing>> {
    const { id } = requireActor(actor);
    return this.read({ ...filter, channelId: undefined, userId: id }, page);
  }

  /** Without an actor: whoever is shown them was asked before. */
  async byIds(ids: readonly number[]): Promise<Drawing[]> {
    return this.linked(await this.deps.drawings.findBy({ id: In([...ids]) }));
  }

  private async read({ from, to, ...exact }: DrawingFilter, page: PageQuery): Promise<Page<Drawing>> {
    const query = this.deps.drawings.createQueryBuilder('drawing');
    const found = await taskPage(query, { exact, range: { from, to } }, page);
    return { ...found, items: this.linked(found.items) };
  }

  private linked(drawings: readonly Drawing[]): Drawing[] {
    const { options, secrets, clock } = this.deps;
    const now = clock.now();
    return drawings.map((drawing) => ({ ...drawing, imageUrl: imageLink(drawing, options.values, secrets, now) }));
  }
}
