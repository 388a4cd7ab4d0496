import { Brackets, type Repository } from 'typeorm';
import { InvalidInputError } from '../../shared/errors.js';
import { escapeLike, type Page, type PageQuery } from '../../shared/page.js';
import type { User } from './user.entity.js';

export interface UserFilter {
  /** Part of the name, address or display name, or a whole id. */
  readonly keyword?: string | null;
  readonly group?: string | null;
  readonly role?: number | null;
  readonly status?: number | null;
}

const sortable = [
  ...(['id', 'username', 'displayName', 'email', 'role', 'status', 'group'] as const),
  ...(['quota', 'usedQuota', 'requestCount', 'createdAt', 'lastCheckInTime'] as const),
] satisfies ReadonlyArray<keyof User>;

/**
 * Lists users, deleted ones included, newest first unless sorted (docs/reference/rest/accounts.md#user-administration).
 */
export async function readUsers(users: Repository<User>, filter: UserFilter, query: PageQuery): Promise<Page<User>> {
  const select = users.createQueryBuilder('account').withDeleted();
  const keyword = filter.keyword?.replaceAll('\0', '').trim().slice(0, 100);
  if (keyword) {
    select.andWhere(
      new Brackets((where) => {
        where.where(
          'account.username ILIKE :pattern OR account.email ILIKE :pattern OR account.displayName ILIKE :pattern',
          {
            pattern: `%${escapeLike(keyword)}%`,
          },
        );
        if (/^\d{1,9}$/.test(keyword)) where.orWhere('account.id = :id', { id: Number(keyword) });
      }),
    );
  }
  if (filter.group) select.andWhere('account.group = :group', { group: filter.group.replaceAll('\0', '') });
  if (isSmall(filter.role)) select.andWhere('account.role = :role', { role: filter.role });
  if (isSmall(filter.status)) select.andWhere('account.status = :status', { status: filter.status });
  const { field, direction } = query.sort ?? { field: 'id', direction: 'DESC' as const };
  const column = sortable.find((one) => one === field);
  if (!column) throw new InvalidInputError(`Users cannot be sorted by this field`, 'sort');
  const [items, totalCount] = await select
    .orderBy(`account.${column}`, direction)
    .addOrderBy('account.id', direction)
    .offset(query.page * query.pageSize)
    .limit(query.pageSize)
    .getManyAndCount();
  return { items, totalCount };
}

/** Fits the column type: a number outside it matches no row instead of failing. */
const isSmall = (value: number | null | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 32_767;
