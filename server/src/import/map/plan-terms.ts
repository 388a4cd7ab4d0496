import { Decimal } from 'decimal.js';
import type { PlanSpan, PlanTerms } from '../../billing/plans/index.js';
import { amountWithoutLimit, maxQuota } from '../../shared/quota.js';
import type { Fields } from '../source/fields.js';
import type { SourcePlan } from './mapped.js';

type Period = Pick<PlanTerms, 'periodUnit' | 'periodCount'>;

const longest = { day: 3660, month: 120 } as const;
const daySeconds = 86_400;

/** Reads a row of `subscription_plans`. */
export function readPlan(row: Fields, quotaPerUnit: number): SourcePlan {
  const changes: string[] = [];
  const [period, isWholePeriod] = periodOf(row);
  if (!isWholePeriod)
    changes.push(`a period of ${durationOf(row)} becomes ${counted(period.periodCount, period.periodUnit)}`);
  const [span, isSameSpan] = spanOf(row);
  if (!isSameSpan) changes.push(`resets every ${row.text('quota_reset_custom_seconds')} seconds become every ${span}`);
  const currency = row.code('currency').toUpperCase();
  if (currency !== '' && currency !== 'USD') changes.push(`the price in ${currency} is read as USD`);
  const upgrade = row.code('upgrade_group');
  if (upgrade !== '') changes.push(`the group ${upgrade} is opened to its buyers, who are not moved into it`);
  if (row.code('downgrade_group') !== '') changes.push(`downgrade_group ${row.code('downgrade_group')}`);
  const limit = row.whole('max_purchase_per_user');
  if (limit > 0) changes.push(`at most ${limit} for each user`);
  if (row.has('allow_balance_pay') && !row.flag('allow_balance_pay')) changes.push('not sold from the balance');
  const price = new Decimal(Math.max(0, row.decimal('price_amount'))).mul(quotaPerUnit).ceil();
  return {
    terms: {
      name: [...row.code('title')].slice(0, 100).join('') || `plan-${row.id}`,
      description: row.code('subtitle'),
      price: Decimal.min(price, maxQuota).toNumber(),
      ...period,
      windows: [{ span, kind: 'money', amount: windowAmount(row, 'total_amount') }],
      groups: upgrade === '' ? [] : [upgrade],
      models: [],
      maxConcurrent: null,
      maxRequests: null,
      overflow: overflowOf(row),
      overflowRatio: 1,
      // The largest number is shown first there.
      position: -row.clamped('sort_order', -1_000_000, 1_000_000) + 0,
    },
    onSale: row.flag('enabled') && isWholePeriod && isSameSpan,
    changes,
  };
}

/** Returns the amount of a window. 0 is unlimited there. */
export function windowAmount(row: Fields, column: string): number {
  const amount = row.whole(column);
  return amount > 0 ? Math.min(amount, amountWithoutLimit) : amountWithoutLimit;
}

/** Rows from before the column existed, and those without a value, let the balance pay. */
export const overflowOf = (row: Fields): PlanTerms['overflow'] =>
  row.has('allow_wallet_overflow') && !row.flag('allow_wallet_overflow') ? 'stop' : 'wallet';

const durationOf = (row: Fields): string =>
  row.code('duration_unit') === 'custom'
    ? counted(row.whole('custom_seconds'), 'second')
    : counted(row.whole('duration_value', 1), row.code('duration_unit'));

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** Returns the period of a plan, and whether it is the one of the source. */
function periodOf(row: Fields): readonly [Period, boolean] {
  const value = row.whole('duration_value', 1);
  switch (row.code('duration_unit') || 'month') {
    case 'year':
      return within('month', value * 12);
    case 'month':
      return within('month', value);
    case 'day':
      return within('day', value);
    case 'hour':
      return within('day', value / 24);
    default:
      return within('day', row.whole('custom_seconds') / daySeconds);
  }
}

function within(periodUnit: Period['periodUnit'], count: number): readonly [Period, boolean] {
  const periodCount = Math.min(longest[periodUnit], Math.max(1, Math.ceil(count)));
  return [{ periodUnit, periodCount }, periodCount === count];
}

/** Seconds of the spans that resets after a custom time may become, the longest first. */
const spans: ReadonlyArray<readonly [PlanSpan, number]> = [
  ['month', 30 * daySeconds],
  ['week', 7 * daySeconds],
  ['day', daySeconds],
  ['5h', 5 * 3600],
];

/** Returns the span of the window of a plan, and whether it is the one of the source. */
function spanOf(row: Fields): readonly [PlanSpan, boolean] {
  switch (row.code('quota_reset_period')) {
    case 'daily':
      return ['day', true];
    case 'weekly':
      return ['week', true];
    case 'monthly':
      return ['month', true];
    case 'custom': {
      const seconds = row.whole('quota_reset_custom_seconds');
      if (seconds <= 0) return ['fixed', true];
      // A shorter window grants what a longer one grants, so no user gets less than was bought.
      const [span, length] = spans.find(([, known]) => known <= seconds) ?? (['5h', 5 * 3600] as const);
      return [span, span !== 'month' && length === seconds];
    }
    default:
      return ['fixed', true];
  }
}
