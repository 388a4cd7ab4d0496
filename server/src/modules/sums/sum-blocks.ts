/** Moments in Unix seconds; the end is the first second that does not belong to it. */
export interface Range {
  readonly from: number;
  readonly end: number;
}

/** Blocks of one length that follow each other. */
export interface BlockRange extends Range {
  /** Length of each block in hours; 0 for a slot. */
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
  /** Starts of slots that changed after they were folded, or of their hours. */
  readonly late: readonly number[];
}

export const hour = 3600;
/** Seconds of the shortest block. The log has such blocks of the hours that are not folded, so that few rows are read one by one. */
export const slot = 300;

/** Lengths of blocks in hours, each a part of the next. A week begins on a Thursday, as Unix time does. */
export const allSpans = [1, 6, 24, 168] as const;
/** The span of a slot. */
export const slotSpan = 0;

/** Seconds. @param span hours; 0 for a slot */
export const lengthOf = (span: number): number => (span === slotSpan ? slot : span * hour);

/**
 * The fewest blocks that make up a range, and what of it is in none: the edges inside a block, what is not folded yet, and
 * what changed since.
 * @param spans lengths that may be used, hours; 0 for slots
 */
export function placesOf(range: Range, spans: readonly number[], state: FoldState): Places {
  const places: { sums: BlockRange[]; source: Range[] } = { sums: [], source: [] };
  const longestFirst = [...spans].filter((span) => span !== slotSpan).sort((left, right) => right - left);
  const folded = Math.max(range.from, Math.min(range.end, state.foldedUntil));
  const inSlots = spans.includes(slotSpan) ? Math.max(folded, Math.min(range.end, state.slotsUntil)) : folded;
  divideAround({ from: range.from, end: folded }, { late: state.late, length: hour }, longestFirst, places);
  divideAround({ from: folded, end: inSlots }, { late: state.late, length: slot }, [slotSpan], places);
  addRange(places.source, { from: inSlots, end: range.end });
  return { sums: places.sums, source: joined(places.source) };
}

/**
 * A range with the hours of its edges made whole where that leaves less to read: the rows of `extra`, which lie in
 * `wide` and not in the range, are then fewer than those of the range that no sum has.
 * @param since before it the sums have what the rows no longer have
 */
export function widened(range: Range, state: FoldState, since: number): { wide: Range; extra: Range[] } {
  const isInSums = (start: number): boolean =>
    start >= since &&
    start + hour <= state.foldedUntil &&
    !state.late.some((late) => late >= start && late < start + hour);
  const wide = { ...range };
  const extra: Range[] = [];
  const first = Math.floor(range.from / hour) * hour;
  if (range.from > first && range.from - first < hour / 2 && first + hour <= range.end && isInSums(first)) {
    wide.from = first;
    extra.push({ from: first, end: range.from });
  }
  const last = Math.ceil(range.end / hour) * hour - hour;
  if (range.end < last + hour && range.end - last > hour / 2 && last >= range.from && isInSums(last)) {
    wide.end = last + hour;
    extra.push({ from: range.end, end: last + hour });
  }
  return { wide, extra };
}

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
