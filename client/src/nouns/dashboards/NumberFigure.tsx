import { useTranslation } from 'react-i18next';
import { NumberCard } from '../../components/charts/NumberCard.js';
import { useFormat } from '../../lib/useFormat.js';
import { amountText, columnLabel, comparisonText, numberText } from './columnTexts.js';
import { costColumns, costOf } from './costTexts.js';
import {
  comparedWith,
  isNumeric,
  numberAt,
  numbersOf,
  sameName,
  seriesOverTime,
  valueAt,
  type Column,
} from './panelData.js';
import type { Figure } from './figure.js';

/** Numbers from here on are shown short: their parts stand beside each other. */
const shortFrom = 1_000_000;
const lineHeight = 17;
const day = 86_400_000;

/**
 * The first number, large, with its course. Lines below it compare it with the range before, and have the other numbers.
 * The lines have their height before they are loaded.
 */
export function NumberFigure({ title, size, rows, columns, values, isLoading = false, actions = [] }: Figure) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOfRows = !values.columns.some(isNumeric);
  const { of, columns: shown } = isOfRows ? { of: rows[0], columns } : values;
  const cost = costColumns(shown);
  const known = cost && costOf(of, cost);
  const numbers = numbersOf(shown).filter((column) => column !== cost?.knownCalls && column !== cost?.calls);
  const [first, ...others] = numbers;
  const now = first && (!cost || known) ? numberAt(of, first) : null;
  const text = (column: Column): string => {
    const number = isNumeric(column) ? numberAt(of, column) : null;
    if (number === null || (cost && !known)) return '–';
    return numberText(number, column, format, Math.abs(number) >= shortFrom);
  };
  const compared = first && comparedWith(first, shown);
  const range = !cost && first?.kind === 'QUOTA' ? rangeColumns(values.columns) : null;
  const perDay = (amount: number, { from, until }: NonNullable<typeof range>): string => {
    const [start, end] = [from, until].map(({ path }) => new Date(String(valueAt(values.of, path))).getTime());
    const days = (Math.min(end ?? 0, Date.now()) - (start ?? 0)) / day;
    return t('dashboard.perDay', { amount: format.money(amount / days, 'balance') });
  };
  // A line that has nothing to say yet keeps its place.
  const notes = [
    ...(compared ? [now === null ? '' : comparisonText(now, numberAt(of, compared) ?? 0, t)] : []),
    ...(range ? [now === null ? '' : perDay(now, range)] : []),
    ...(others.length > 0 ? [others.map((column) => `${columnLabel(column, t)} ${text(column)}`).join(' · ')] : []),
    ...(cost ? [known ? `${known.share} · ${t('objects.costKnown', known)}` : ''] : []),
  ];
  return (
    <NumberCard
      isFirst={size === 'LARGE'}
      title={title}
      value={isLoading ? undefined : valueText()}
      isLoss={now !== null && now < 0}
      notes={notes.map((note) => (isLoading ? '' : note))}
      // On phones, notes of a small number need a second line.
      notesHeight={{ xs: lineHeight * notes.length * (size === 'SMALL' ? 2 : 1), sm: lineHeight * notes.length }}
      values={first && !isOfRows ? courseOf(rows, columns, first) : []}
      actions={actions}
    />
  );

  function valueText(): string {
    if (!first) return '–';
    // Amounts of several currencies do not add up.
    const amounts = isOfRows ? rows.map((row) => amountText(row, first)) : [];
    const inCurrencies = amounts.filter((amount) => amount !== null);
    return inCurrencies.length > 0 ? inCurrencies.join(' · ') : text(first);
  }
}

/** The columns of the range that was added up. */
function rangeColumns(columns: readonly Column[]) {
  const [from, until] = ['from', 'until'].map((name) => columns.find(({ path }) => path.endsWith(`.range.${name}`)));
  return from && until ? { from, until } : null;
}

/** The values of a number over time. Empty: the rows do not have it, or not for each moment. */
function courseOf(rows: readonly unknown[], columns: readonly Column[], number: Column): readonly number[] {
  const same = sameName(number, columns);
  const time = columns.filter(({ kind }) => kind === 'TIME' || kind === 'TEXT');
  if (!same || time.length !== 1) return [];
  const values = seriesOverTime(rows, [...time, same], () => '', '')?.series[0]?.values ?? [];
  return values.every((value) => value !== null) ? values : [];
}
