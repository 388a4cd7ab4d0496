import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidInputError } from '../../shared/errors.js';
import type { Page, PageQuery } from '../../shared/page.js';

/** Filters that are exact, by field of the row; an absent one asks nothing. */
export type ExactFilter = Readonly<Record<string, string | number | undefined>>;

/** In the unit of the rows, both ends included. */
export interface SubmitRange {
  readonly from?: number;
  readonly to?: number;
}

/** One page of tasks, the newest first unless sorted. @throws AppError INVALID_INPUT for a field no list sorts by */
export async function taskPage<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { exact, range }: { readonly exact: ExactFilter; readonly range: SubmitRange },
  page: PageQuery,
): Promise<Page<Row>> {
  const { alias } = query;
  for (const [field, value] of Object.entries(exact)) {
    // A text column holds no NUL, so nothing is equal to one.
    const asked = typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
    if (asked !== undefined) query.andWhere(`${alias}.${field} = :${field}`, { [field]: asked });
  }
  if (range.from !== undefined) query.andWhere(`${alias}.submitTime >= :from`, { from: range.from });
  if (range.to !== undefined) query.andWhere(`${alias}.submitTime <= :to`, { to: range.to });
  const direction = page.sort?.direction ?? 'DESC';
  const [items, totalCount] = await query
    .orderBy(`${alias}.${sortField(page.sort?.field)}`, direction)
    .addOrderBy(`${alias}.id`, direction)
    .skip(page.page * page.pageSize)
    .take(page.pageSize)
    .getManyAndCount();
  return { items, totalCount };
}

const sortFields: readonly string[] = ['id', 'submitTime', 'finishTime', 'channelId', 'status', 'action', 'quota'];

function sortField(field = 'id'): string {
  if (!sortFields.includes(field)) throw new InvalidInputError(`Tasks cannot be sorted by ${field}`, 'sort');
  return field;
}
