import { InvalidInputError } from '../../shared/errors.js';
import { resolveSpan, type TimeBucket, type WantedRange } from '../usage/index.js';

export interface TimedQuestion {
  readonly range: WantedRange;
  readonly timeZone: string;
  readonly rangeTimeZone: string;
  readonly bucket: TimeBucket;
}

/** Maximum buckets of a question. They are drawn as a chart. */
const maxBuckets = 400;

/**
 * Returns the range of a question and the starts of its buckets.
 * @param atom seconds to which the range is rounded; whole hours when absent
 * @throws AppError INVALID_INPUT
 */
export function timedSpan(question: TimedQuestion, now: number, atom?: number) {
  if (question.bucket === 'MINUTE_5') throw new InvalidInputError('The bucket is HOUR or longer', 'bucket');
  const { range, starts } = resolveSpan({ ...question, now }, atom);
  const all: readonly number[] = starts ?? [];
  if (all.length > maxBuckets) throw new InvalidInputError(`The range has more than ${maxBuckets} buckets`, 'bucket');
  return { range, starts: all };
}
