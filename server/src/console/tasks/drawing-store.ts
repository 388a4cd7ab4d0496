import { In, type Repository } from 'typeorm';
import { type Drawing } from './drawing.entity.js';
import { finished } from './task-ledger.js';

/** Reads drawings for the relay. No actor is required, because the API key was checked before. */
export class DrawingStore {
  constructor(private readonly drawings: Repository<Drawing>) {}

  /** Returns one of the user's drawings; the newest if two providers use the same id. */
  own(userId: number, mjId: string): Promise<Drawing | null> {
    return mjId === ''
      ? Promise.resolve(null)
      : this.drawings.findOne({ where: { userId, mjId }, order: { id: 'DESC' } });
  }

  ownMany(userId: number, mjIds: readonly string[]): Promise<Drawing[]> {
    const names = mjIds.filter((name) => name !== '');
    if (names.length === 0) return Promise.resolve([]);
    return this.drawings.find({ where: { userId, mjId: In(names) }, order: { id: 'ASC' } });
  }

  /** Returns rows of all users, because a provider may return the same drawing to several of them. */
  ofChannel(channelId: number, mjId: string): Promise<Drawing[]> {
    return mjId === '' ? Promise.resolve([]) : this.drawings.findBy({ channelId, mjId });
  }

  byId(id: number): Promise<Drawing | null> {
    return this.drawings.findOneBy({ id });
  }

  /**
   * Returns unfinished drawings, oldest first.
   * @param after row id
   */
  unfinished(after: number, limit: number): Promise<Drawing[]> {
    return this.drawings
      .createQueryBuilder('drawing')
      .where('drawing.progress <> :finished AND drawing.id > :after', { finished, after })
      .orderBy('drawing.id', 'ASC')
      .take(limit)
      .getMany();
  }
}
