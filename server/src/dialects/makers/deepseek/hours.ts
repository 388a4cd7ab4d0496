import type { Condition } from '../../../shared/price-condition.js';
import type { Provider } from '../../providers/provider.js';

/** Hours of UTC, from Monday to Friday, as published: 9:00 to 12:00 and 14:00 to 18:00 in Beijing. */
const peaks: ReadonlyArray<readonly [from: number, to: number]> = [
  [1, 4],
  [6, 10],
];

const offPeak: Condition = { hours: 'off_peak' };

const ownAddress = /^https:\/\/api\.deepseek\.com(?:[/:]|$)/;

/**
 * DeepSeek halves its prices outside its peak hours. It also does so on public holidays of China, which are charged as
 * other days here.
 */
export const deepSeekHours: NonNullable<Provider['conditionAt']> = (now, baseUrl) => {
  if (!ownAddress.test(baseUrl)) return undefined;
  const time = new Date(now);
  const isWorkday = time.getUTCDay() >= 1 && time.getUTCDay() <= 5;
  const isPeak = isWorkday && peaks.some(([from, to]) => time.getUTCHours() >= from && time.getUTCHours() < to);
  return isPeak ? undefined : offPeak;
};
