import { serviceStates, type ServiceState } from '../../../shared/service-state.js';
import { hour, type Range } from '../../../billing/rollups/index.js';
import { nameOf, type FailingHour, type HourlyFailures } from './failing-hours.js';
import { dateOf } from '../../../shared/clock.js';

/** A part of the range with problems. */
export interface Problem {
  /** Number of the bucket; 0 is the oldest. */
  readonly bucket: number;
  /** The state of its worst hour. */
  readonly state: ServiceState;
}

/** Consecutive hours with problems. */
export interface Incident {
  readonly modelName: string;
  /** The groups, sorted. */
  readonly groups: readonly string[];
  /** The state of its worst hour. */
  readonly state: ServiceState;
  readonly from: Date;
  /** The end; null while the incident lasts. */
  readonly until: Date | null;
}

/** Shares of failed calls from which an hour counts as degraded or as an outage. */
const degradedFrom = 0.05;
const outageFrom = 0.5;

/** The precision of the uptime. */
const parts = 1000;

/** Seconds. Incidents with at most one good hour between them count as one. */
const longestGap = hour;

/** Returns the state by the share of calls that failed. */
export function stateOf({ failed, served }: Pick<FailingHour, 'failed' | 'served'>): ServiceState {
  const share = failed / (failed + served);
  return share >= outageFrom ? 'OUTAGE' : share >= degradedFrom ? 'DEGRADED' : 'OPERATIONAL';
}

/** The worse of two states. */
export const worse = (one: ServiceState, other: ServiceState): ServiceState =>
  serviceStates.indexOf(one) > serviceStates.indexOf(other) ? one : other;

/**
 * Returns problems of a model in a group by bucket, oldest first.
 * @param seconds length of a bucket
 */
export function problemsOf(hours: readonly FailingHour[], from: number, seconds: number): Problem[] {
  const worst = new Map<number, ServiceState>();
  for (const each of hours) {
    const state = stateOf(each);
    if (state === 'OPERATIONAL') continue;
    const bucket = Math.floor((each.hour - from) / seconds);
    worst.set(bucket, worse(state, worst.get(bucket) ?? 'OPERATIONAL'));
  }
  return [...worst].map(([bucket, state]) => ({ bucket, state })).sort((one, other) => one.bucket - other.bucket);
}

/**
 * Returns the share of hours without an outage, 0 to 1, rounded down to a thousandth: 1 means no outage at all. It
 * counts hours, not calls, so that it does not reveal how many calls there are.
 */
export function uptimeOf(hours: readonly FailingHour[], range: Range): number {
  const all = (range.end - range.from) / hour;
  const out = hours.filter((each) => stateOf(each) === 'OUTAGE').length;
  return Math.floor(((all - out) * parts) / all) / parts;
}

/**
 * Returns incidents, newest first. Groups of a model that failed at the same time are one incident. An incident of the
 * previous hour lasts while the running hour has no served call, like the state of the model.
 * @param hours by time
 */
export function incidentsOf(
  hours: readonly FailingHour[],
  range: Range,
  servedLast: HourlyFailures['servedLast'],
): Incident[] {
  const stretches = new Map<string, Stretch[]>();
  for (const each of hours) {
    const state = stateOf(each);
    if (state === 'OPERATIONAL') continue;
    const key = `${each.group}\0${each.modelName}`;
    const known = stretches.get(key) ?? [];
    stretches.set(key, known);
    const last = known.at(-1);
    if (last && each.hour - last.end <= longestGap) {
      last.end = each.hour + hour;
      last.state = worse(state, last.state);
    } else known.push({ ...each, state, from: each.hour, end: each.hour + hour });
  }
  const doesLast = ({ end, modelName, group }: Stretch): boolean =>
    end >= range.end || (end === range.end - hour && !servedLast.has(nameOf(modelName, group)));
  const merged = new Map<string, Stretch & { readonly groups: string[]; readonly lasts: boolean }>();
  for (const stretch of [...stretches.values()].flat()) {
    const lasts = doesLast(stretch);
    const key = `${String(stretch.from)} ${String(stretch.end)} ${String(lasts)} ${stretch.state} ${stretch.modelName}`;
    const known = merged.get(key);
    if (known) known.groups.push(stretch.group);
    else merged.set(key, { ...stretch, lasts, groups: [stretch.group] });
  }
  return [...merged.values()]
    .sort((one, other) => other.end - one.end || other.from - one.from || (one.modelName < other.modelName ? -1 : 1))
    .map(({ modelName, groups, state, from, end, lasts }) => ({
      modelName,
      groups: groups.sort(),
      state,
      from: dateOf(from),
      until: lasts ? null : dateOf(end),
    }));
}

interface Stretch {
  readonly modelName: string;
  readonly group: string;
  state: ServiceState;
  /** Unix seconds of the start of the range. */
  readonly from: number;
  end: number;
}
