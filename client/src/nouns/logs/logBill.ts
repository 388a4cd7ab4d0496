import { decimal, dollars, exactDollars, integer, ratio } from '../../lib/format.js';
import type { Quantity } from '../prices/quantities.js';
import type { LogRow } from './logRow.js';

const perMillion = 1_000_000;
/** A cache write for an hour costs twice the prompt price, and one for five minutes 1.25 times. */
const hourFactor = 1.6;

/** One kind of tokens of a call. Amounts in USD before the group ratio. */
export interface BillLine {
  readonly kind:
    'input' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h' | 'output' | 'audioInput' | 'audioOutput' | 'call' | Quantity;
  /** Tokens, or units such as searches. */
  readonly tokens: number;
  /** USD per million tokens, or per unit. */
  readonly price: number;
  readonly isPerUnit?: boolean;
  readonly amount: number;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  readonly subtotal: number;
  readonly groupRatio: number;
  /** The amount charged, from the row. */
  readonly quota: number;
  readonly charged: number;
  /** Fractions of a quota unit that earlier calls left, and that are left to the next one; empty without any. */
  readonly carried: string;
  readonly formula: string;
  /** False when the formula does not give the charge: the call was free, failed, or priced otherwise. */
  readonly explains: boolean;
}

export type BilledRow = Pick<
  LogRow,
  | 'promptTokens'
  | 'completionTokens'
  | 'cachedTokens'
  | 'cacheWriteTokens'
  | 'cacheWrite1hTokens'
  | 'audio'
  | 'quota'
  | 'price'
>;
type Price = NonNullable<LogRow['price']>;
type CardLines = NonNullable<Price['lines']>;

interface Term {
  readonly kind: BillLine['kind'];
  readonly tokens: number;
  /** Factors in addition to the model ratio. */
  readonly factors: readonly number[];
}

/**
 * The calculation of a charge, from the details of the row. The prompt count includes cached tokens, the completion count
 * includes reasoning. @returns null for rows without a price
 */
export function billOf(row: BilledRow, quotaPerUnit: number): Bill | null {
  const { price } = row;
  if (!price) return null;
  if (price.lines) return billByCard(row, price.groupRatio, price.lines, quotaPerUnit);
  return typeof price.modelPrice === 'number'
    ? billByCall(row, price, price.modelPrice, quotaPerUnit)
    : billByRatio(row, price, quotaPerUnit);
}

function termsOf({ audio, ...row }: BilledRow, price: Price): Term[] {
  const completionRatio = price.completionRatio ?? 0;
  if (audio) {
    const [audioRatio, audioCompletionRatio] = [price.audioRatio ?? 0, price.audioCompletionRatio ?? 0];
    return [
      { kind: 'input', tokens: audio.textInputTokens, factors: [] },
      { kind: 'audioInput', tokens: audio.audioInputTokens, factors: [audioRatio] },
      { kind: 'output', tokens: audio.textOutputTokens, factors: [completionRatio] },
      { kind: 'audioOutput', tokens: audio.audioOutputTokens, factors: [audioRatio, audioCompletionRatio] },
    ];
  }
  // A provider may report more cached than prompt tokens. The rest is then zero, as on the server.
  const read = Math.min(row.cachedTokens, row.promptTokens);
  const written = Math.min(row.cacheWriteTokens, row.promptTokens - read);
  const forHour = Math.min(row.cacheWrite1hTokens, written);
  return [
    { kind: 'input', tokens: row.promptTokens - read - written, factors: [] },
    { kind: 'cacheRead', tokens: read, factors: [price.cacheRatio ?? 1] },
    { kind: 'cacheWrite', tokens: written - forHour, factors: [price.cacheWriteRatio ?? 1] },
    { kind: 'cacheWrite1h', tokens: forHour, factors: [price.cacheWriteRatio ?? 1, hourFactor] },
    { kind: 'output', tokens: row.completionTokens, factors: [completionRatio] },
  ];
}

function billByRatio(row: BilledRow, price: Price, quotaPerUnit: number): Bill {
  const { groupRatio } = price;
  const modelRatio = price.modelRatio ?? 0;
  const terms = termsOf(row, price);
  const used = terms.filter((term) => term.tokens > 0);
  const shown = used.length > 0 ? used : terms.filter(({ kind }) => kind === 'input');
  const lines = shown.map(({ kind, tokens, factors }): BillLine => {
    const weight = factors.reduce((product, factor) => product * factor, modelRatio);
    return { kind, tokens, price: (weight * 1_000_000) / quotaPerUnit, amount: (tokens * weight) / quotaPerUnit };
  });
  const sum = shown.map(({ tokens, factors }) => [integer(tokens), ...factors.map(ratio)].join(' × ')).join(' + ');
  const expected = lines.reduce((total, line) => total + line.amount, 0) * quotaPerUnit * groupRatio;
  const grouped = shown.length > 1 ? `(${sum})` : sum;
  const formula = `${grouped} × ${ratio(modelRatio)} × ${ratio(groupRatio)}`;
  return finish(row, groupRatio, quotaPerUnit, lines, expected, formula);
}

function billByCard(row: BilledRow, groupRatio: number, card: CardLines, quotaPerUnit: number): Bill {
  const lines = card.map(({ quantity, count, price, isPerMillion, usd }): BillLine => ({
    kind: quantity as Quantity,
    tokens: count,
    price,
    amount: usd,
    isPerUnit: !isPerMillion,
  }));
  const sum = lines.map(({ tokens, price, isPerUnit }) => {
    const product = `${integer(tokens)} × ${exactDollars(price)}`;
    return isPerUnit ? product : `${product} ÷ ${integer(perMillion)}`;
  });
  const text = lines.length > 1 ? `(${sum.join(' + ')})` : (sum[0] ?? exactDollars(0));
  const expected = lines.reduce((total, line) => total + line.amount, 0) * quotaPerUnit * groupRatio;
  return finish(
    row,
    groupRatio,
    quotaPerUnit,
    lines,
    expected,
    `${text} × ${integer(quotaPerUnit)} × ${ratio(groupRatio)}`,
  );
}

function billByCall(row: BilledRow, { groupRatio }: Price, price: number, quotaPerUnit: number): Bill {
  const lines: BillLine[] = [{ kind: 'call', tokens: 1, price, amount: price }];
  const text = `${exactDollars(price)} × ${integer(quotaPerUnit)} × ${ratio(groupRatio)}`;
  return finish(row, groupRatio, quotaPerUnit, lines, price * quotaPerUnit * groupRatio, text);
}

/** A fraction of a unit as a term. */
const signed = (value: number): string => (value === 0 ? '' : ` ${value < 0 ? '−' : '+'} ${ratio(Math.abs(value))}`);

function finish(
  row: BilledRow,
  groupRatio: number,
  quotaPerUnit: number,
  lines: readonly BillLine[],
  expected: number,
  sum: string,
): Bill {
  const charged = row.quota / quotaPerUnit;
  const { carriedBefore, carriedAfter } = row.price ?? {};
  const [before, after] = [carriedBefore ?? 0, carriedAfter ?? 0];
  const due = expected + before - after;
  const carried = `${signed(before)}${signed(-after)}`;
  // Rows without carried fractions were rounded once, half up or down by endpoint; a positive price charges at least one.
  const explains = Math.abs(due - row.quota) <= 1;
  const result = `${integer(row.quota)} ÷ ${integer(quotaPerUnit)} = ${dollars(charged, 6)}`;
  const equals = Math.abs(due - row.quota) < 1e-6 ? '=' : '≈';
  return {
    lines,
    subtotal: lines.reduce((total, line) => total + line.amount, 0),
    groupRatio,
    quota: row.quota,
    charged,
    carried: carried.trimStart(),
    formula: explains
      ? `${sum}${carried} ${equals} ${integer(row.quota)}\n${result}`
      : `${sum} = ${decimal(expected, 2)}`,
    explains,
  };
}
