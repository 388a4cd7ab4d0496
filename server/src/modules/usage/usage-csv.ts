import { csvLine } from '../../shared/csv.js';
import type { UsageRow } from './usage-row.js';

export interface CsvRow extends UsageRow {
  readonly username: string | null;
  readonly tokenName: string | null;
  readonly channelName: string | null;
}

type Column = readonly [name: string, cell: (row: CsvRow) => string | number | null];

const columns: readonly Column[] = [
  ['time', ({ time }) => (time === null ? null : new Date(time * 1000).toISOString())],
  ['user_id', ({ key }) => key.userId ?? null],
  ['username', (row) => row.username],
  ['token_id', ({ key }) => key.tokenId ?? null],
  ['token', (row) => row.tokenName],
  ['channel', ({ key }) => key.channelId ?? null],
  ['channel_name', (row) => row.channelName],
  ['model', ({ key }) => key.modelName ?? null],
  ['group', ({ key }) => key.group ?? null],
  ['calls', ({ metrics }) => metrics.calls],
  ['failed_calls', ({ metrics }) => metrics.failedCalls],
  ['prompt_tokens', ({ metrics }) => metrics.promptTokens],
  ['completion_tokens', ({ metrics }) => metrics.completionTokens],
  ['cached_tokens', ({ metrics }) => metrics.cachedTokens],
  ['quota', ({ metrics }) => metrics.quota],
  ['usd', ({ metrics }) => metrics.usd],
  ['average_ms', ({ metrics }) => metrics.averageMs],
  ['p95_ms', ({ metrics }) => metrics.latencyMs(0.95)],
];

export const usageCsvHeader = csvLine(columns.map(([name]) => name));

export const toCsvLine = (row: CsvRow): string => csvLine(columns.map(([, cell]) => cell(row)));
