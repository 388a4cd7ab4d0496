import type { TFunction } from 'i18next';
import { count, dateTime, decimal, duration, integer, moneyOf, percent, ratio } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import { fieldOf, isChange, isCompared, isNumeric, numberAt, valueAt, type Column } from './panelData.js';

type Format = ReturnType<typeof useFormat>;

/** Names of the schema that most panels select. */
const labels = {
  activeUsers: 'dashboards.columns.activeUsers',
  averageMs: 'dashboards.columns.average',
  amount: 'dashboards.columns.amount',
  balances: 'dashboards.columns.balances',
  cachedShare: 'dashboards.columns.cachedShare',
  calls: 'dashboard.calls',
  channelName: 'fields.channel',
  coverage: 'dashboards.columns.coverage',
  daysLeft: 'dashboards.columns.daysLeft',
  errorCode: 'dashboards.columns.errorCode',
  errorRate: 'dashboards.columns.errorRate',
  failedCalls: 'dashboards.columns.failedCalls',
  group: 'fields.group',
  knownUsd: 'profit.knownUsd',
  latencyMs: 'dashboards.columns.latency',
  liabilityUsd: 'dashboards.columns.liability',
  marginUsd: 'dashboard.marginTitle',
  modelName: 'fields.model',
  name: 'fields.name',
  p50Ms: 'dashboards.columns.p50',
  p95Ms: 'dashboards.columns.p95',
  callsPerMinute: 'dashboard.requestsPerMinute',
  perMinute: 'dashboard.requestsPerMinute',
  promptTokens: 'fields.input',
  completionTokens: 'fields.output',
  quota: 'fields.quota',
  time: 'fields.time',
  tokens: 'dashboard.tokens',
  totalTokens: 'dashboard.tokens',
  unusedCodes: 'dashboards.columns.unusedCodes',
  upstreamUsd: 'dashboard.upstreamCost',
  usd: 'dashboard.spend',
  username: 'fields.username',
} as const;

/** The name of a column in the reader's language; one that the console does not know in the words of the schema. */
export function columnLabel(column: Column, t: TFunction): string {
  const name = column.path.slice(column.path.lastIndexOf('.') + 1);
  const label = Object.hasOwn(labels, name) ? t(labels[name as keyof typeof labels]) : inWords(name);
  return isCompared(column) ? t('dashboards.before', { label }) : label;
}

/** `firstTokenMs` becomes `First token ms`. */
function inWords(name: string): string {
  const words = name.replace(
    /([a-z\d])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Two significant digits below ten, so that 0.4 calls per minute is not shown as 0. */
export const rate = (value: number): string => (value < 10 ? ratio(Number(value.toPrecision(2))) : count(value));

/** The change against an earlier value. */
export function comparisonText(now: number, before: number, t: TFunction): string {
  if (before <= 0) return t('dashboard.noComparison');
  const share = (now - before) / before;
  const sign = Math.abs(share) < 0.005 ? '' : share > 0 ? '+' : '−';
  return t('dashboard.comparison', { share: `${sign}${percent(Math.abs(share))}` });
}

/** Whether a number is an amount in USD. */
export const isUsd = (column: Column): boolean => /usd$/i.test(fieldOf(column));

/** A number of a column, by its type and its name. `isShort` is for the marks of charts. */
export function numberText(value: number, column: Column, format: Format, isShort = false): string {
  const field = fieldOf(column);
  if (column.kind === 'QUOTA') return format.money(value, 'balance');
  if (isUsd(column)) return format.usd(value, value !== 0 && Math.abs(value) < 0.01 ? 6 : 2);
  if (/Ms$/.test(field)) return duration(value / 1000);
  if (/(Share|Rate|coverage|uptime)$/.test(field) || isChange(column)) return percent(value);
  if (/per(Minute|Second)$/i.test(field)) return rate(value);
  if (!Number.isInteger(value)) return decimal(value, Math.abs(value) < 1 ? 4 : 1);
  return isShort ? count(value) : integer(value);
}

/** The text of a payment, whose row has its currency. Null: it is none. */
export function amountText(row: unknown, column: Column): string | null {
  const currency = valueAt(row, column.path.replace(/amount$/, 'currency'));
  const number = numberAt(row, column);
  return /amount$/.test(column.path) && typeof currency === 'string' && number !== null
    ? moneyOf(number, currency)
    : null;
}

/** The text of a cell. Null: it is empty. */
export function cellText(row: unknown, column: Column, format: Format, t: TFunction): string | null {
  const value = valueAt(row, column.path);
  if (value === null || value === undefined || value === '') return null;
  const number = isNumeric(column) ? numberAt(row, column) : null;
  if (number !== null) return amountText(row, column) ?? numberText(number, column, format);
  if (column.kind === 'TIME') return typeof value === 'string' ? dateTime(value) : null;
  if (column.kind === 'BOOLEAN') return value === true ? t('dashboards.yes') : t('dashboards.no');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
