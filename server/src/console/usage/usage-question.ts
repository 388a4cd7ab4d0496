import { ForbiddenError, InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { UsageName } from './usage-row.js';
import type { Span, TimeBucket, WantedComparison, WantedRange } from './usage-time.js';

export const usageDimensions = [
  ...(['USER', 'TOKEN', 'MODEL', 'CHANNEL', 'GROUP', 'PROVIDER', 'CHANNEL_TAG', 'USER_COHORT_WEEK'] as const),
  ...(['ENDPOINT', 'ERROR', 'UPSTREAM_KEY', 'MEMBER', 'PROJECT'] as const),
] as const;
export type UsageDimension = (typeof usageDimensions)[number];

export const usageMetrics = [
  ...(['QUOTA', 'CALLS', 'FAILED_CALLS', 'ERROR_RATE', 'PROMPT_TOKENS', 'COMPLETION_TOKENS', 'CACHED_TOKENS'] as const),
  ...(['CACHED_SHARE', 'TOTAL_TOKENS', 'AVERAGE_MS', 'P95_MS', 'UPSTREAM_USD', 'MARGIN_USD', 'TIME', 'KEY'] as const),
  ...(['ACTIVE_USERS', 'KNOWN_USD', 'KNOWN_CALLS', 'MARGIN_SHARE'] as const),
] as const;
/** TIME and KEY sort by the bucket and by the dimensions, texts by code points. */
export type UsageMetric = (typeof usageMetrics)[number];

export const comparisonSides = ['CURRENT', 'PREVIOUS', 'DIFFERENCE', 'RATIO'] as const;
export type ComparisonSide = (typeof comparisonSides)[number];

export interface UsageOrder {
  readonly metric: UsageMetric;
  readonly of: ComparisonSide;
  readonly direction: 'ASC' | 'DESC';
}

/** Absent fields match everything; a list matches any of its values. */
export interface UsageFilter {
  readonly userIds?: readonly number[];
  readonly usernames?: readonly string[];
  readonly tokenIds?: readonly number[];
  readonly memberIds?: readonly number[];
  readonly projectIds?: readonly number[];
  readonly channelIds?: readonly number[];
  readonly channelTags?: readonly string[];
  readonly models?: readonly string[];
  readonly groups?: readonly string[];
  /** As the log names keys of channels; an empty text is the only key of a channel. */
  readonly upstreamKeys?: readonly string[];
}

/** Counters that are added up. Each costs time for each row that is read. */
export interface WantedCounters {
  /** Columns of plain numbers; all when absent. */
  readonly plain?: readonly string[];
  readonly latency: boolean;
  readonly firstToken: boolean;
  readonly cost: boolean;
  /** Number of users with an answered call. */
  readonly activeUsers: boolean;
  /** Cache writes, and what reading from caches saved. They are in the log only. */
  readonly cache: boolean;
}

export type UsageSource = 'counters' | 'logOfCalls' | 'logOfFailures';

export interface UsageQuery {
  /**
   * The rows to read: the counters that settlements keep, or log rows of all calls or of failed calls only. All parts of a
   * question read the same source, so that its totals are the sums of its rows.
   */
  readonly source: UsageSource;
  readonly dimensions: readonly UsageDimension[];
  readonly current: Span;
  readonly compared: Span | null;
  readonly bucket: TimeBucket | null;
  readonly timeZone: string;
  readonly filter: UsageFilter;
  readonly counters: WantedCounters;
  readonly quotaPerUnit: number;
}

/** A query to the usage engine. Absent fields have the defaults documented in the schema. */
export interface UsageQuestion {
  readonly range: WantedRange;
  /** The IANA name of the zone of buckets, and of calendar periods unless `rangeTimeZone` is given. */
  readonly timeZone: string;
  /** The zone of a calendar period in `range`. `timeZone` when absent. */
  readonly rangeTimeZone?: string | undefined;
  readonly filter: UsageFilter;
  readonly groupBy: readonly UsageDimension[];
  readonly bucket: TimeBucket | null;
  /**
   * Whether to add rows for buckets without usage, so that charts show gaps. Requires `bucket`, and `top` if there are
   * groups.
   */
  readonly fill: boolean;
  readonly compareTo: WantedComparison | null;
  /** The order. If empty: by time and key with a bucket, otherwise by quota. */
  readonly orderBy: readonly UsageOrder[];
  /** Restricts to the first groups by `orderBy` over the whole range, with all their buckets. */
  readonly top: number | null;
  /** The dimensions whose groups `top` counts; empty: all of them. Each such group has all of its rows. */
  readonly topBy: readonly UsageDimension[];
  /** Whether to add a row per bucket for all groups outside `top`. */
  readonly others: boolean;
  readonly page: number;
  readonly pageSize: number;
  /** Position to continue after; only in the order of time and key. */
  readonly after: string | null;
}

/** The requested parts of the response that are costly. */
export interface WantedUsage extends WantedCounters {
  readonly total: boolean;
  readonly compared: boolean;
  /** Whether to count the groups. */
  readonly count: boolean;
  /** Whether to read the totals of all groups outside `top`. */
  readonly others: boolean;
  /** Whether to project the totals to the end of an open period. */
  readonly projected: boolean;
  /** Names to read for the rows; none when absent. */
  readonly names?: readonly UsageName[];
}

export const maxUsageRows = 5000;
export const maxTop = 100;

export const emptyQuestion: UsageQuestion = {
  range: {},
  timeZone: 'UTC',
  filter: {},
  groupBy: [],
  bucket: null,
  fill: false,
  compareTo: null,
  orderBy: [],
  top: null,
  topBy: [],
  others: false,
  page: 0,
  pageSize: 100,
  after: null,
};

/** Dimensions that are in the log only. */
export const logDimensions: readonly UsageDimension[] = ['ENDPOINT', 'ERROR', 'UPSTREAM_KEY'];
const wholeSite: readonly UsageDimension[] = [
  'CHANNEL',
  'PROVIDER',
  'CHANNEL_TAG',
  'USER_COHORT_WEEK',
  ...logDimensions,
];

/** @throws AppError INVALID_INPUT for arguments that contradict each other */
export function assertQuestion({
  groupBy,
  bucket,
  fill,
  top,
  topBy,
  others,
  pageSize,
  page,
  after,
  orderBy,
}: UsageQuestion): void {
  if (new Set(groupBy).size !== groupBy.length)
    throw new InvalidInputError('Group by each dimension only once', 'groupBy');
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxUsageRows) {
    throw new InvalidInputError(`pageSize is 1 to ${maxUsageRows}`, 'pageSize');
  }
  if (!Number.isInteger(page) || page < 0 || page > 1_000_000) throw new InvalidInputError('page starts at 0', 'page');
  if (after !== null && (page !== 0 || top !== null || fill)) {
    throw new InvalidInputError('after cannot be combined with page, top or fill', 'after');
  }
  if (top !== null && (!Number.isInteger(top) || top < 1 || top > maxTop)) {
    throw new InvalidInputError(`top is 1 to ${maxTop}`, 'top');
  }
  if (top !== null && groupBy.length === 0) throw new InvalidInputError('top requires groupBy', 'top');
  if (topBy.length > 0 && (top === null || fill)) {
    throw new InvalidInputError('topBy requires top, and cannot be combined with fill', 'topBy');
  }
  if (new Set(topBy).size !== topBy.length || topBy.some((dimension) => !groupBy.includes(dimension))) {
    throw new InvalidInputError('topBy has dimensions of groupBy, each once', 'topBy');
  }
  if (others && top === null) throw new InvalidInputError('others requires top', 'others');
  if (fill && bucket === null) throw new InvalidInputError('fill requires bucket', 'fill');
  if (fill && top === null && groupBy.length > 0) throw new InvalidInputError('fill with groupBy requires top', 'fill');
  if (fill && top === null && orderBy.length > 0)
    throw new InvalidInputError('fill requires the order by time', 'orderBy');
}

const costMetrics: readonly UsageMetric[] = ['UPSTREAM_USD', 'MARGIN_USD', 'MARGIN_SHARE', 'KNOWN_USD', 'KNOWN_CALLS'];

/** Whether the order uses costs. It reveals which costs are higher, although not how high they are. */
export const isByCost = ({ orderBy }: Pick<UsageQuestion, 'orderBy'>): boolean =>
  orderBy.some(({ metric }) => costMetrics.includes(metric));

/** @throws AppError INSUFFICIENT_PRIVILEGES for fields that only admins may query */
export function assertOwn(
  { groupBy, filter }: UsageQuestion,
  { cost, cache }: Pick<WantedCounters, 'cost' | 'cache'>,
): void {
  const filtered = (['channelIds', 'channelTags', 'userIds', 'usernames', 'upstreamKeys'] as const).find(
    (name) => filter[name] !== undefined,
  );
  const grouped = groupBy.find((dimension) => wholeSite.includes(dimension));
  if (cost) throw new ForbiddenError('No permission: own usage has no costs');
  if (cache) throw new ForbiddenError('No permission: own usage has no cache savings');
  if (filtered) throw new ForbiddenError(`No permission: own usage has no filter ${filtered}`);
  if (grouped) throw new ForbiddenError(`No permission: own usage has no dimension ${grouped}`);
}

/** Returns the filter with the fields that users may filter by. Other users' rows never match. */
export const ownFilter = (
  userId: number,
  { tokenIds, memberIds, projectIds, models, groups }: UsageFilter,
): UsageFilter => omitUndefined({ userIds: [userId], tokenIds, memberIds, projectIds, models, groups });
