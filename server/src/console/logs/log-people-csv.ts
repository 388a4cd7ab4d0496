import { InvalidInputError } from '../../shared/errors.js';
import { roundedUsd } from '../../shared/quota.js';
import { contentInChinese } from './log-content-zh.js';
import { detailsOf } from './log-details.js';
import { creditTypes } from '../../shared/log-type.js';
import { LogType } from '../../shared/log-type.js';
import { addressIn, type LogView } from './log-view.js';
import { dateOf, secondsIn } from '../../shared/clock.js';
import type { CsvColumn } from '../../shared/csv.js';

/** How a person wants to read the log. */
export interface PeopleCsv {
  /** IANA name. */
  readonly timeZone: string;
  readonly language: 'en' | 'zh';
  readonly quotaPerUnit: number;
}

/** Type numbers in the order of `LogType`. */
const typeNames = {
  en: ['Unknown', 'Top-up', 'Consume', 'Manage', 'System', 'Check-in', 'Error', 'Test'],
  zh: ['未知', '充值', '消费', '管理', '系统', '签到', '错误', '测试'],
} as const;

/** A header in both languages, and the cells. */
type PeopleColumn = readonly [en: string, zh: string, cell: CsvColumn<LogView>[1]];

/**
 * Reads the form of an export.
 * @param query of the export: `time_zone` (default UTC), `language` (default `en`)
 * @throws AppError INVALID_INPUT for an unknown time zone
 */
export function peopleCsvOf(query: Readonly<Record<string, string | undefined>>, quotaPerUnit: number): PeopleCsv {
  const timeZone = query['time_zone'] || 'UTC';
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new InvalidInputError('Unknown time zone', 'time_zone');
  }
  return { timeZone, language: query['language'] === 'zh' ? 'zh' : 'en', quotaPerUnit };
}

/** Returns columns with amounts in USD, times in the reader's time zone, and names in place of numbers. */
export function peopleColumns(
  { timeZone, language, quotaPerUnit }: PeopleCsv,
  isAdmin: boolean,
): Array<CsvColumn<LogView>> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const names = typeNames[language];
  // Each cell of a row needs its details, so they are parsed once.
  let last: { readonly log: LogView; readonly details: ReturnType<typeof detailsOf> } | undefined;
  const of = (log: LogView) => {
    if (last?.log !== log) last = { log, details: detailsOf(log) };
    return last.details;
  };
  // No user pays for a test.
  const usd = (log: LogView) => (log.type === (LogType.test as number) ? 0 : log.quota / quotaPerUnit);
  const credit = (log: LogView): number | undefined => {
    const quota = creditTypes.includes(log.type) ? log.quota - of(log).deductedQuota : 0;
    return quota === 0 ? undefined : quota / quotaPerUnit;
  };
  const all: PeopleColumn[] = [
    [`Time (${timeZone})`, `时间（${timeZone}）`, (log) => format.format(dateOf(log.createdAt))],
    ['Type', '类型', (log) => names[log.type] ?? names[0]],
    ['User', '用户', (log) => log.username],
    ['Token', '令牌', (log) => log.tokenName],
    ['Group', '分组', (log) => log.group],
    ['Model', '模型', (log) => log.modelName],
    ['Upstream model', '上游模型', (log) => of(log).upstreamModel],
    ['Cost (USD)', '费用（USD）', (log) => (creditTypes.includes(log.type) ? null : plain(usd(log)))],
    ['Credit (USD)', '入账（USD）', (log) => plainOrNull(credit(log))],
    ['Input tokens', '输入 Token', (log) => log.promptTokens],
    ['Cached tokens', '缓存 Token', (log) => of(log).cachedTokens],
    ['Output tokens', '输出 Token', (log) => log.completionTokens],
    ['Group ratio', '分组倍率', (log) => of(log).price?.groupRatio ?? null],
    ['Duration (s)', '用时（秒）', (log) => seconds(of(log).durationMs) ?? log.useTime],
    ['First token (s)', '首字（秒）', (log) => seconds(of(log).timeToFirstTokenMs)],
    ['Stream', '流式', (log) => log.isStream],
    ['Request ID', '请求 ID', (log) => log.requestId],
    ['Address', '地址', addressIn],
    ['Content', '内容', (log) => (language === 'zh' ? contentInChinese(log) : log.content)],
  ];
  const admins: PeopleColumn[] = [
    ['Channel', '渠道', (log) => log.channelName],
    ['Channels tried', '尝试的渠道', (log) => of(log).attemptIds.join(' → ')],
    ['Upstream cost (USD)', '成本（USD）', (log) => plainOrNull(of(log).cost?.usd)],
    ['Margin (USD)', '毛利（USD）', (log) => plainOrNull(marginOf(usd(log), of(log).cost?.usd))],
  ];
  return [...all, ...(isAdmin ? admins : [])].map(([en, zh, cell]) => [language === 'zh' ? zh : en, cell]);
}

const seconds = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : secondsIn(milliseconds);

const marginOf = (usd: number, cost: number | undefined): number | undefined =>
  cost === undefined ? undefined : usd - cost;

/** Formats an amount without exponents such as `1e-7`, which spreadsheets round, and without binary rounding errors. */
const plain = (usd: number): number | string => {
  const rounded = roundedUsd(usd);
  return Math.abs(rounded) >= 1e-6 || rounded === 0 ? rounded : rounded.toFixed(9);
};

const plainOrNull = (usd: number | undefined): number | string | null => (usd === undefined ? null : plain(usd));
