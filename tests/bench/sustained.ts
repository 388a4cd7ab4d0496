import { Load, type Target, type Timings } from './load.js';

/**
 * A steady load. Its first `lead` seconds do not count, because the first responses have not arrived then. A response that
 * takes longer than that would make every rate look too high.
 */
interface Window {
  /** Calls started per second. */
  readonly perSecond: number;
  readonly lead: number;
  /** Seconds that count. */
  readonly seconds: number;
}

const lead = 2;
/** A few hundred calls, so that a single one does not decide, in at least 3 and at most 20 seconds. */
const secondsFor = (perSecond: number): number => Math.min(20, Math.max(3, 200 / perSecond));

/** Whether at least 99 % of the offered calls were answered as fast as they were offered, and at most 0.1 % failed. */
export function isSustained(
  { answeredAt, failures }: Pick<Timings, 'answeredAt' | 'failures'>,
  { perSecond, lead, seconds }: Window,
): boolean {
  const [from, to] = [lead * 1000, (lead + seconds) * 1000];
  const answered = answeredAt.filter((at) => at >= from && at < to).length;
  return answered >= 0.99 * perSecond * seconds && failures <= 0.001 * perSecond * (lead + seconds);
}

/**
 * Lowers the rate until the server sustains it, at most to a quarter.
 * @param full calls per second under full load
 * @returns calls per second, or null when no rate was sustained
 */
export async function sustainedRate(
  target: Target,
  kind: string,
  full: number,
  connections: number,
): Promise<number | null> {
  for (let rate = full; rate > full / 4; rate *= 0.93) {
    const perSecond = Math.max(1, Math.round(rate));
    const seconds = secondsFor(perSecond);
    const load = new Load(target, connections);
    const timings = await load.steady(kind, perSecond, lead + seconds);
    await load.close();
    if (isSustained(timings, { perSecond, lead, seconds })) return perSecond;
  }
  return null;
}
