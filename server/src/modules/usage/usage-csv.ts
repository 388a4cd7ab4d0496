import { csvLine } from '../../shared/csv.js';
import type { UsageRow } from './usage-row.js';

type Column = readonly [name: string, cell: (row: UsageRow) => string | number | null];

const columns: readonly Column[] = [
  ['time', (row) => (row.time === null ? null : new Date(row.time * 1000).toISOString())],
  ['user_id', (row) => row.userId],
  ['username', (row) => row.username],
  ['token_id', (row) => row.tokenId],
  ['token', (row) => row.tokenName],
  ['channel', (row) => row.channelId],
  ['channel_name', (row) => row.channelName],
  ['model', (row) => row.modelName],
  ['group', (row) => row.group],
  ['calls', (row) => row.calls],
  ['failed_calls', (row) => row.failedCalls],
  ['prompt_tokens', (row) => row.promptTokens],
  ['completion_tokens', (row) => row.completionTokens],
  ['cached_tokens', (row) => row.cachedTokens],
  ['quota', (row) => row.quota],
  ['usd', (row) => row.usd],
  ['average_ms', (row) => row.averageMilliseconds],
  ['p95_ms', (row) => row.p95Milliseconds],
];

export const usageCsvHeader = csvLine(columns.map(([name]) => name));

export const toCsvLine = (row: UsageRow): string => csvLine(columns.map(([, cell]) => cell(row)));
