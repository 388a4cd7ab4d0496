import type { CsvColumn } from '../../shared/csv.js';
import { roundedUsd } from '../../shared/quota.js';
import type { StatementDocument } from '../../billing/statements/index.js';

/** A line of the CSV file of one statement. Amounts have the sign with which they change the balance. */
export interface StatementLine {
  readonly line: 'opening' | 'credit' | 'usage' | 'closing';
  readonly kind: string;
  readonly tokenId: number | null;
  readonly tokenName: string;
  readonly modelName: string;
  readonly count: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly quota: number;
  readonly usd: number;
  readonly memberId?: number | undefined;
  readonly memberName?: string | undefined;
  readonly projectId?: number | undefined;
  readonly projectName?: string | undefined;
}

const none = { kind: '', tokenId: null, tokenName: '', modelName: '', promptTokens: null, completionTokens: null };

/** The opening balance, what changed it, and the closing balance, which is the sum of all lines before it. */
export function linesOf({ opening, closing, content }: StatementDocument): StatementLine[] {
  const money = (quota: number) => ({ quota, usd: roundedUsd(quota / content.quotaPerUnit) });
  return [
    { ...none, line: 'opening', count: null, ...money(opening) },
    ...content.credits.map(({ kind, count, amount }) => ({
      ...none,
      line: 'credit' as const,
      kind,
      count,
      ...money(amount),
    })),
    ...content.usage.map(({ calls, quota, ...line }) => ({
      ...none,
      ...line,
      line: 'usage' as const,
      count: calls,
      ...money(-quota),
    })),
    { ...none, line: 'closing', count: null, ...money(closing) },
  ];
}

export const lineColumns: ReadonlyArray<CsvColumn<StatementLine>> = [
  ['line', ({ line }) => line],
  ['kind', ({ kind }) => kind],
  ['token_id', ({ tokenId }) => tokenId],
  ['token_name', ({ tokenName }) => tokenName],
  ['model_name', ({ modelName }) => modelName],
  ['count', ({ count }) => count],
  ['prompt_tokens', ({ promptTokens }) => promptTokens],
  ['completion_tokens', ({ completionTokens }) => completionTokens],
  ['quota', ({ quota }) => quota],
  ['usd', ({ usd }) => usd],
  // Scripts read columns by position, so columns that were added later come last.
  ['member_id', ({ memberId }) => memberId ?? null],
  ['member', ({ memberName }) => memberName ?? ''],
  ['project_id', ({ projectId }) => projectId ?? null],
  ['project', ({ projectName }) => projectName ?? ''],
];

export const summaryColumns: ReadonlyArray<CsvColumn<StatementDocument>> = [
  ['id', ({ id }) => id],
  ['number', ({ number }) => number],
  ['month', ({ month }) => month],
  ['closed_at', ({ closedAt }) => closedAt?.toISOString() ?? null],
  ['account_id', ({ accountId }) => accountId],
  ['username', ({ content }) => content.buyer.username],
  ['buyer_name', ({ content }) => content.buyer.name],
  ['buyer_address', ({ content }) => content.buyer.address],
  ['buyer_tax_id', ({ content }) => content.buyer.taxNumber],
  ['opening', ({ opening }) => opening],
  ['credits', ({ credits }) => credits],
  ['usage', ({ usage }) => usage],
  ['closing', ({ closing }) => closing],
  ['quota_per_usd', ({ content }) => content.quotaPerUnit],
];
