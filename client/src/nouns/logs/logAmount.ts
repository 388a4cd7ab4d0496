import type { useFormat } from '../../lib/useFormat.js';
import type { LogRow } from './logRow.js';

/** Types of rows that changed the balance without a call: codes, payments, bonuses, refunds and changes by admins. */
const credits = new Set<LogRow['type']>(['TOP_UP', 'MANAGE', 'SYSTEM', 'CHECK_IN']);

/** Returns the cost of a call, or another change of the balance, with its sign. Null if the row has no amount. */
export function amountOf(
  { type, quota }: Pick<LogRow, 'type' | 'quota'>,
  { money }: Pick<ReturnType<typeof useFormat>, 'money'>,
): string | null {
  if (type === 'TEST' || (quota === 0 && type !== 'CONSUME')) return null;
  if (!credits.has(type)) return money(quota, 'charge');
  return `${quota > 0 ? '+' : '-'}${money(Math.abs(quota), 'amount')}`;
}
