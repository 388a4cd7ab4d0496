/** Moments in Unix seconds; the end is the first second that does not belong to it. */
export interface Range {
  readonly from: number;
  readonly end: number;
}

/** Blocks of one length that follow each other. */
export interface BlockRange extends Range {
  /** Length of each block in hours; 0 for a slot, -1 for a minute. */
  readonly span: number;
}

/** Where the answer to a question about a range stands. No moment is in two places. */
export interface Places {
  readonly sums: readonly BlockRange[];
  /** What has to be read from the rows that the sums are made of. */
  readonly source: readonly Range[];
}

/** What of the sums can be trusted. */
export interface FoldState {
  /** Every hour that ends at or before it is in the sums. Unix seconds, whole hours. */
  readonly foldedUntil: number;
  /** Behind `foldedUntil`, every slot of the log that ends at or before it is in the sums. Unix seconds, whole slots. */
  readonly slotsUntil: number;
  /** Behind both, every minute of the log that ends at or before it is in the sums. Unix seconds, whole minutes. */
  readonly minutesUntil: number;
  /** Starts of minutes that changed after they were folded, or of their slots or hours. */
  readonly late: readonly number[];
  /** Starts of folded hours that have their slots as well, of those that somebody asked about. */
  readonly slotted: readonly number[];
}

export const hour = 3600;
/**
 * Seconds of a part of an hour. The log has such blocks of the hours that are not folded, and of those with many rows, so that
 * few rows are read one by one.
 */
export const slot = 300;
/** Seconds of the shortest block: a part of a slot, for the last minutes behind the slots. */
export const minute = 60;

/** Lengths of blocks in hours, each a part of the next. A week begins on a Thursday, as Unix time does. */
export const allSpans = [1, 6, 24, 168] as const;
/** The span of a slot. */
export const slotSpan = 0;
/** The span of a minute. */
export const minuteSpan = -1;

/** Seconds. @param span hours; 0 for a slot, -1 for a minute */
export const lengthOf = (span: number): number =>
  span === minuteSpan ? minute : span === slotSpan ? slot : span * hour;

/**
 * The fewest blocks that make up a range, and what of it is in none: the edges inside a block, what is not folded yet, and
 * what changed since.
 * @param spans lengths that may be used, hours; 0 for slots, -1 for minutes
 */
export function placesOf(range: Range, spans: readonly number[], state: FoldState): Places {
  const places: { sums: BlockRange[]; source: Range[] } = { sums: [], source: [] };
  const longestFirst = [...spans].filter((span) => span > slotSpan).sort((left, right) => right - left);
  const hasSlots = spans.includes(slotSpan);
  const folded = Math.max(range.from, Math.min(range.end, state.foldedUntil));
  const inSlots = hasSlots ? Math.max(folded, Math.min(range.end, state.slotsUntil)) : folded;
  const behindSlots = Math.max(inSlots, Math.min(range.end, state.slotsUntil));
  const inMinutes = spans.includes(minuteSpan)
    ? Math.max(behindSlots, Math.min(range.end, state.minutesUntil))
    : behindSlots;
  divideAround({ from: range.from, end: folded }, { late: state.late, length: hour }, longestFirst, places);
  const edges = places.source.splice(0);
  for (const edge of edges) divideBySlots(edge, hasSlots ? slottedHours(state) : [], places);
  divideAround({ from: folded, end: inSlots }, { late: state.late, length: slot }, [slotSpan], places);
  addRange(places.source, { from: inSlots, end: behindSlots });
  divideAround({ from: behindSlots, end: inMinutes }, { late: state.late, length: minute }, [minuteSpan], places);
  addRange(places.source, { from: inMinutes, end: range.end });
  return { sums: places.sums, source: joined(places.source) };
}

/** A range that counts, or one that is to be taken off. */
export interface Signed extends Range {
  readonly sign: '' | '-';
}

/**
 * What adds up to a range with the least to read: the hours, then the slots of its edges are made whole where most of
 * them is asked for, and what was not is taken off again.
 * @param since before it the sums have what the rows no longer have
 */
export function totalOf(range: Range, spans: readonly number[], state: FoldState, since: number): Signed[] {
  const isUnchanged = (start: number, length: number): boolean =>
    start >= since && !state.late.some((late) => late >= start && late < start + length);
  const isHour = (start: number): boolean => start + hour <= state.foldedUntil && isUnchanged(start, hour);
  const slotted = slottedHours(state);
  const isSlot = (start: number): boolean =>
    start >= since &&
    spans.includes(slotSpan) &&
    (slotted.includes(start - (start % hour)) ||
      (start >= state.foldedUntil && start + slot <= state.slotsUntil && isUnchanged(start, slot)));
  const asked: Signed = { ...range, sign: '' };
  return widened(asked, hour, isHour).flatMap((part) => widened(part, slot, isSlot));
}

/** A range with the blocks of its edges made whole where that leaves less to read, and what has to be taken off for it. */
function widened(range: Signed, length: number, isInSums: (start: number) => boolean): Signed[] {
  const wide = { ...range };
  const sign = range.sign === '' ? '-' : '';
  const extra: Signed[] = [];
  const first = Math.floor(range.from / length) * length;
  if (range.from > first && range.from - first < length / 2 && first + length <= range.end && isInSums(first)) {
    wide.from = first;
    extra.push({ from: first, end: range.from, sign });
  }
  const last = Math.ceil(range.end / length) * length - length;
  if (range.end < last + length && range.end - last > length / 2 && last >= range.from && isInSums(last)) {
    wide.end = last + length;
    extra.push({ from: range.end, end: last + length, sign });
  }
  return [wide, ...extra];
}

/** Folded hours whose slots can be trusted, in order. */
const slottedHours = ({ slotted, foldedUntil, late }: FoldState): number[] =>
  slotted
    .filter((start) => start + hour <= foldedUntil && !late.some((one) => one >= start && one < start + hour))
    .sort((left, right) => left - right);

/** The slots of these hours, and what of a range is in none. */
function divideBySlots(range: Range, hours: readonly number[], places: { sums: BlockRange[]; source: Range[] }): void {
  let { from } = range;
  for (const start of hours) {
    if (start + hour <= from || start >= range.end) continue;
    const end = Math.min(start + hour, range.end);
    addRange(places.source, { from, end: start });
    divide({ from: Math.max(start, from), end }, [slotSpan], places);
    from = end;
  }
  addRange(places.source, { from, end: range.end });
}

/** The hours that a range begins and ends inside of. */
export const edgesOf = ({ from, end }: Range): number[] => [
  ...new Set([from, end].filter((edge) => edge % hour !== 0).map((edge) => edge - (edge % hour))),
];

/** What is late is read from its source, as much of it as would be folded anew. */
function divideAround(
  range: Range,
  { late, length }: { late: readonly number[]; length: number },
  longestFirst: readonly number[],
  places: { sums: BlockRange[]; source: Range[] },
): void {
  let { from } = range;
  const starts = new Set(late.map((start) => Math.floor(start / length) * length));
  for (const start of [...starts].sort((left, right) => left - right)) {
    if (start + length <= from || start >= range.end) continue;
    if (start > from) divide({ from, end: start }, longestFirst, places);
    const end = Math.min(start + length, range.end);
    addRange(places.source, { from: Math.max(start, from), end });
    from = end;
  }
  divide({ from, end: range.end }, longestFirst, places);
}

/** The longest blocks inside, the shorter ones before and after them. */
function divide(range: Range, longestFirst: readonly number[], places: { sums: BlockRange[]; source: Range[] }): void {
  const [span, ...shorter] = longestFirst;
  if (range.from >= range.end) return;
  if (span === undefined) {
    addRange(places.source, range);
    return;
  }
  const length = lengthOf(span);
  const first = Math.ceil(range.from / length) * length;
  const last = Math.floor(range.end / length) * length;
  if (first >= last) {
    divide(range, shorter, places);
    return;
  }
  divide({ from: range.from, end: first }, shorter, places);
  places.sums.push({ span, from: first, end: last });
  divide({ from: last, end: range.end }, shorter, places);
}

function addRange(ranges: Range[], range: Range): void {
  if (range.from < range.end) ranges.push(range);
}

/** In order, and neighbours as one. */
function joined(ranges: readonly Range[]): Range[] {
  const whole: Range[] = [];
  for (const range of [...ranges].sort((left, right) => left.from - right.from)) {
    const last = whole.at(-1);
    if (last?.end === range.from) whole[whole.length - 1] = { from: last.from, end: range.end };
    else whole.push(range);
  }
  return whole;
}
