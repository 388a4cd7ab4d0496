/** Moments in Unix seconds; the end is the first second that does not belong to it. */
export interface Range {
  readonly from: number;
  readonly end: number;
}

/** Blocks of one length that follow each other. */
export interface BlockRange extends Range {
  /** Length of each block in hours. */
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
  /** Starts of hours that changed after they were folded. */
  readonly late: readonly number[];
}

export const hour = 3600;

/** Lengths of blocks in hours, each a part of the next. A week begins on a Thursday, as Unix time does. */
export const allSpans = [1, 6, 24, 168] as const;

/**
 * The fewest blocks that make up a range, and what of it is in none: the edges inside an hour, hours that are not folded
 * yet, and hours that changed since.
 * @param spans lengths that may be used, hours
 */
export function placesOf(range: Range, spans: readonly number[], state: FoldState): Places {
  const places: { sums: BlockRange[]; source: Range[] } = { sums: [], source: [] };
  const longestFirst = [...spans].sort((left, right) => right - left);
  let from = range.from;
  const folded = Math.min(range.end, state.foldedUntil);
  for (const late of [...state.late].sort((left, right) => left - right)) {
    if (late + hour <= from || late >= folded) continue;
    if (late > from) divide({ from, end: late }, longestFirst, places);
    addRange(places.source, { from: Math.max(late, from), end: Math.min(late + hour, range.end) });
    from = Math.min(late + hour, range.end);
  }
  if (from < folded) divide({ from, end: folded }, longestFirst, places);
  addRange(places.source, { from: Math.max(from, folded), end: range.end });
  return { sums: places.sums, source: joined(places.source) };
}

/** The longest blocks inside, the shorter ones before and after them. */
function divide(range: Range, longestFirst: readonly number[], places: { sums: BlockRange[]; source: Range[] }): void {
  const [span, ...shorter] = longestFirst;
  if (range.from >= range.end) return;
  if (span === undefined) {
    addRange(places.source, range);
    return;
  }
  const length = span * hour;
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
