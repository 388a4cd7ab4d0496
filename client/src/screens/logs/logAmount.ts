import type { useFormat } from '../../lib/useFormat.js';
import type { LogRow } from './logRow.js';

/** Rows that changed the balance otherwise than by a call: codes, payments, bonuses, refunds and what admins did. */
const credits = new Set<LogRow['type']>(['TOP_UP', 'MANAGE', 'SYSTEM', 'CHECK_IN']);

/** The cost of a call, or what else the balance changed by, with its sign. Null: the row has no amount. */
export function amountOf(
  { type, quota }: Pick<LogRow, 'type' | 'quota'>,
  { money }: Pick<ReturnType<typeof useFormat>, 'money'>,
): string | null {
  if (type === 'TEST' || (quota === 0 && type !== 'CONSUME')) return null;
  if (!credits.has(type)) return money(quota, 'charge');
  return `${quota > 0 ? '+' : '-'}${money(Math.abs(quota), 'amount')}`;
}
