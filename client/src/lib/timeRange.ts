import { startOfDay } from './timePresets.js';

/** A time range as written in the URL: Unix seconds, empty for the default. */
export type RangeTexts = Readonly<Record<'from' | 'to', string>>;

export interface TimeRange {
  readonly from: Date;
  /** The end; null for now. */
  readonly to: Date | null;
}

/** Returns the start of today in the reader's zone. */
export const startOfToday = (): Date => startOfDay(new Date());

export const lastThirtyDays = (): Date => new Date(Date.now() - 30 * 86_400_000);

const fromSeconds = (text: string): Date | null => (/^\d{1,11}$/.test(text) ? new Date(Number(text) * 1000) : null);

export const toSeconds = (date: Date): string => String(Math.floor(date.getTime() / 1000));

/** @param start default start */
export const rangeOf = ({ from, to }: RangeTexts, start: Date): TimeRange => ({
  from: fromSeconds(from) ?? start,
  to: fromSeconds(to),
});

/** The range as GraphQL takes it; without an end it reaches until the server answers. */
export function timesOf(texts: RangeTexts, start: Date): { from: string; until: string | null } {
  const { from, to } = rangeOf(texts, start);
  return { from: from.toISOString(), until: to?.toISOString() ?? null };
}
