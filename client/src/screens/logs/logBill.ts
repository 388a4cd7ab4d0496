import { decimal, dollars, integer, ratio } from '../../lib/format.js';
import type { LogOther } from './logOther.wire.js';

/** One kind of tokens of a call. Amounts in dollars before the group ratio. */
export interface BillLine {
  readonly kind: 'input' | 'cacheRead' | 'cacheWrite' | 'output' | 'audioInput' | 'audioOutput' | 'call';
  readonly tokens: number;
  /** Dollars for a million tokens, or for the call. */
  readonly price: number;
  readonly amount: number;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  readonly subtotal: number;
  readonly groupRatio: number;
  /** What was charged, by the row. */
  readonly quota: number;
  readonly charged: number;
  readonly formula: string;
  /** False when the sum does not explain the charge: the call was free, failed, or priced in another way. */
  readonly explains: boolean;
}

export interface BilledRow {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly quota: number;
}

interface Term {
  readonly kind: BillLine['kind'];
  readonly tokens: number;
  /** Factors besides the model's ratio. */
  readonly factors: readonly number[];
}

/**
 * The sum behind a charge, from what the row keeps. The prompt count contains the cached tokens; completion contains
 * reasoning. @returns null for rows that are not calls
 */
export function billOf(row: BilledRow, other: LogOther | null, quotaPerUnit: number): Bill | null {
  if (!other) return null;
  return other.modelPrice === null
    ? billByRatio(row, other, quotaPerUnit)
    : billByCall(row, other, other.modelPrice, quotaPerUnit);
}

function termsOf(row: BilledRow, other: LogOther): Term[] {
  const { completionRatio, audioRatio, audioCompletionRatio } = other;
  if (other.audio) {
    return [
      { kind: 'input', tokens: other.textInput, factors: [] },
      { kind: 'audioInput', tokens: other.audioInput, factors: [audioRatio] },
      { kind: 'output', tokens: other.textOutput, factors: [completionRatio] },
      { kind: 'audioOutput', tokens: other.audioOutput, factors: [audioRatio, audioCompletionRatio] },
    ];
  }
  // A provider may report more cached than prompt tokens; the rest is then nothing, as on the server.
  const read = Math.min(other.cacheTokens, row.promptTokens);
  const written = Math.min(other.cacheCreationTokens, row.promptTokens - read);
  return [
    { kind: 'input', tokens: row.promptTokens - read - written, factors: [] },
    { kind: 'cacheRead', tokens: read, factors: [other.cacheRatio] },
    { kind: 'cacheWrite', tokens: written, factors: [other.cacheCreationRatio] },
    { kind: 'output', tokens: row.completionTokens, factors: [completionRatio] },
  ];
}

function billByRatio(row: BilledRow, other: LogOther, quotaPerUnit: number): Bill {
  const terms = termsOf(row, other);
  const used = terms.filter((term) => term.tokens > 0);
  const shown = used.length > 0 ? used : terms.filter(({ kind }) => kind === 'input');
  const lines = shown.map(({ kind, tokens, factors }): BillLine => {
    const weight = factors.reduce((product, factor) => product * factor, other.modelRatio);
    return { kind, tokens, price: (weight * 1_000_000) / quotaPerUnit, amount: (tokens * weight) / quotaPerUnit };
  });
  const sum = shown.map(({ tokens, factors }) => [integer(tokens), ...factors.map(ratio)].join(' × ')).join(' + ');
  const expected = lines.reduce((total, line) => total + line.amount, 0) * quotaPerUnit * other.groupRatio;
  const grouped = shown.length > 1 ? `(${sum})` : sum;
  return finish(
    row,
    other,
    quotaPerUnit,
    lines,
    expected,
    `${grouped} × ${ratio(other.modelRatio)} × ${ratio(other.groupRatio)}`,
  );
}

function billByCall(row: BilledRow, other: LogOther, price: number, quotaPerUnit: number): Bill {
  const lines: BillLine[] = [{ kind: 'call', tokens: 1, price, amount: price }];
  const text = `$${ratio(price)} × ${integer(quotaPerUnit)} × ${ratio(other.groupRatio)}`;
  return finish(row, other, quotaPerUnit, lines, price * quotaPerUnit * other.groupRatio, text);
}

function finish(
  row: BilledRow,
  other: LogOther,
  quotaPerUnit: number,
  lines: readonly BillLine[],
  expected: number,
  sum: string,
): Bill {
  const charged = row.quota / quotaPerUnit;
  // The server rounds once, half up or down by endpoint; a positive price charges at least one.
  const explains = Math.abs(expected - row.quota) <= 1;
  const result = `${integer(row.quota)} ÷ ${integer(quotaPerUnit)} = ${dollars(charged, 6)}`;
  const equals = Math.abs(expected - row.quota) < 1e-6 ? '=' : '≈';
  return {
    lines,
    subtotal: lines.reduce((total, line) => total + line.amount, 0),
    groupRatio: other.groupRatio,
    quota: row.quota,
    charged,
    formula: explains ? `${sum} ${equals} ${integer(row.quota)}\n${result}` : `${sum} = ${decimal(expected, 2)}`,
    explains,
  };
}
