import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { andAmong, andBetween } from '../../platform/db/conditions.js';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { CreativeTask } from './creative-task.entity.js';

/** The status or action of values that are not known: rows of other consoles, and new values of providers. */
export const unknownValue = 'UNKNOWN';

/** Statuses of drawings and of creative tasks, as they are stored. */
export const taskStatuses = ['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'MODAL', 'SUCCESS', 'FAILURE'] as const;
export type TaskStatus = (typeof taskStatuses)[number] | typeof unknownValue;

/** Returns the status. An empty one belongs to a task that the provider has not accepted yet. */
export const taskStatusOf = (stored: string): TaskStatus =>
  stored === '' ? 'NOT_START' : oneOf<TaskStatus>(taskStatuses, stored);

/** @returns the value, or `UNKNOWN` if it is not known */
export const oneOf = <Value extends string>(known: readonly Value[], stored: string): Value | typeof unknownValue =>
  known.find((value) => value === stored) ?? unknownValue;

/** Conditions on drawings or creative tasks. Absent fields do not restrict; an empty list matches nothing. */
export interface TaskFilter {
  readonly ids?: readonly number[];
  readonly userIds?: readonly number[];
  readonly channelIds?: readonly number[];
  /** The provider's ids. */
  readonly taskIds?: readonly string[];
  /** `UNKNOWN` matches all actions that are not known. */
  readonly actions?: readonly string[];
  readonly statuses?: readonly TaskStatus[];
  /** The stored form of the status, for the REST API. */
  readonly status?: string;
  readonly submitted?: TimeRange;
}

export type TaskSortField = 'id' | 'submitTime' | 'finishTime' | 'channelId' | 'status' | 'action' | 'quota';

/** Columns that both kinds of tasks share. */
export type TaskRow = Readonly<Pick<CreativeTask, TaskSortField>>;

export interface TaskKind {
  /** The column of the provider's id. */
  readonly taskId: string;
  readonly knownActions: readonly string[];
}

/**
 * Returns one page of tasks, newest first unless sorted.
 * @throws AppError INVALID_INPUT for a cursor of another sort
 */
export async function taskSlice<Row extends ObjectLiteral & TaskRow>(
  select: SelectQueryBuilder<Row>,
  kind: TaskKind,
  filter: TaskFilter,
  query: ListQuery<TaskSortField>,
): Promise<Slice<Row>> {
  const { alias } = select;
  andAmong(select, `${alias}.id`, filter.ids);
  andAmong(select, `${alias}.user_id`, filter.userIds);
  andAmong(select, `${alias}.channel_id`, filter.channelIds);
  andAmong(select, `${alias}.${kind.taskId}`, filter.taskIds);
  andKnown(select, `${alias}.action`, kind.knownActions, filter.actions);
  andKnown(select, `${alias}.status`, [...taskStatuses, ''], storedStatuses(filter.statuses));
  if (filter.status !== undefined) andAmong(select, `${alias}.status`, [filter.status]);
  andBetween(select, `${alias}.submit_time`, filter.submitted);
  return readSlice<Row, TaskSortField>(select, query, sortKeys(alias));
}

/** @throws AppError INVALID_INPUT when the order of own tasks would reveal their channels */
export function assertOwnSort({ sort }: ListQuery<TaskSortField>): void {
  if (sort.some(({ field }) => field === 'channelId')) {
    throw new InvalidInputError('Own tasks cannot be sorted by channel', 'sort');
  }
}

const storedStatuses = (statuses: readonly TaskStatus[] | undefined): readonly string[] | undefined =>
  statuses?.flatMap((status) => (status === 'NOT_START' ? [status, ''] : [status]));

/** Restricts a column to some of its known values; `UNKNOWN` matches all others. */
function andKnown<Row extends ObjectLiteral>(
  select: SelectQueryBuilder<Row>,
  column: string,
  known: readonly string[],
  asked: readonly string[] | undefined,
): void {
  if (!asked?.includes(unknownValue)) return andAmong(select, column, asked);
  const name = `${column.replace(/\W/g, '_')}_excluded`;
  const excluded = known.filter((value) => !asked.includes(value));
  select.andWhere(`NOT ${column} = ANY (:${name})`, { [name]: excluded });
}

/** Stored times have no microseconds, so that the indexes on them serve the sort. */
const sortKeys = (alias: string): SortKeys<TaskRow, TaskSortField> => ({
  id: { sql: `${alias}.id`, value: ({ id }) => id },
  submitTime: { sql: `${alias}.submit_time`, value: ({ submitTime }) => submitTime },
  finishTime: { sql: `${alias}.finish_time`, value: ({ finishTime }) => finishTime, nullable: true },
  channelId: { sql: `${alias}.channel_id`, value: ({ channelId }) => channelId },
  status: { sql: `${alias}.status`, value: ({ status }) => status },
  action: { sql: `${alias}.action`, value: ({ action }) => action },
  quota: { sql: `${alias}.quota`, value: ({ quota }) => quota },
});
