export { dropOldUsage, type Queries, recentSeconds } from './aggregate.js';
export { Aggregator } from './aggregator.js';
export { day, fiveMinutes, hour, type Range, type Watermarks } from './read-plan.js';
export { detailColumns } from './logged-calls.js';
export { assertFewLogRows, logRowsSql, maxLogRows, maxLogSeconds } from './log-rows.js';
export { rollupChecks } from './rollup-checks.js';
export { histogramColumns, histogramSums, quoted, usageCounters } from './rollup-tables.js';
export {
  callsFrom,
  logFrom,
  planCalls,
  readSnapshot,
  readState,
  type RollupState,
  type Snapshots,
  usageFrom,
} from './rollups.js';
