import type { TFunction } from 'i18next';
import { integer, percent } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import { fieldOf, isCompared, numberAt, type Column } from './panelData.js';

interface Texts {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly quotaPerUnit: number;
}

/** The columns that say what calls cost the operator. Null: the query does not select all of them. */
export function costColumns(columns: readonly Column[]) {
  const find = (name: string) => columns.find((column) => !isCompared(column) && fieldOf(column).endsWith(name));
  const [usd, marginUsd, knownCalls, calls] = ['cost.usd', 'cost.marginUsd', 'cost.knownCalls', '.calls'].map(find);
  return usd && marginUsd && knownCalls && calls ? { usd, marginUsd, knownCalls, calls } : null;
}

type CostColumns = NonNullable<ReturnType<typeof costColumns>>;

/** The costs of a row. Null: none of them is known. */
export function costOf(row: unknown, columns: CostColumns) {
  const at = (name: keyof CostColumns): number => numberAt(row, columns[name]) ?? 0;
  if (at('knownCalls') === 0) return null;
  return {
    marginUsd: at('marginUsd'),
    share: at('usd') > 0 ? percent(at('marginUsd') / at('usd')) : '–',
    known: integer(at('knownCalls')),
    calls: integer(at('calls')),
    isWhole: at('knownCalls') >= at('calls'),
  };
}

/** The margin of a row, if some of its costs are known. */
export function marginText(row: unknown, columns: CostColumns, { t, format, quotaPerUnit }: Texts): string | undefined {
  const cost = costOf(row, columns);
  if (!cost) return undefined;
  const { marginUsd, share, known, calls, isWhole } = cost;
  const earned = { amount: format.money(marginUsd * quotaPerUnit, 'balance'), share };
  return isWhole ? t('dashboard.margin', earned) : t('dashboard.marginOfSome', { ...earned, known, calls });
}
