import type { Repository, SelectQueryBuilder } from 'typeorm';
import { isOpenToMember, type RowReader } from '../../billing/organisations/index.js';
import { type Drawing } from './drawing.entity.js';
import { finished } from './task-ledger.js';

/** Reads drawings for the relay. No actor is required, because the API key was checked before. */
export class DrawingStore {
  constructor(private readonly drawings: Repository<Drawing>) {}

  /** Returns one of the drawings that are open to the reader; the newest if two providers use the same id. */
  own(reader: RowReader, mjId: string): Promise<Drawing | null> {
    if (mjId === '') return Promise.resolve(null);
    return this.open(reader).andWhere('drawing.mj_id = :mjId', { mjId }).orderBy('drawing.id', 'DESC').getOne();
  }

  ownMany(reader: RowReader, mjIds: readonly string[]): Promise<Drawing[]> {
    const names = mjIds.filter((name) => name !== '');
    if (names.length === 0) return Promise.resolve([]);
    return this.open(reader).andWhere('drawing.mj_id = ANY (:names)', { names }).orderBy('drawing.id').getMany();
  }

  private open({ userId, memberId }: RowReader): SelectQueryBuilder<Drawing> {
    return this.drawings
      .createQueryBuilder('drawing')
      .where('drawing.user_id = :userId', { userId })
      .andWhere(isOpenToMember('drawing.token_id', ':memberId'), { memberId });
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
