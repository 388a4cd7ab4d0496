import { familyOf } from '../../../dialects/makers/charging.js';
import { ranks, type MaybeActor } from '../../../shared/actor.js';
import { dateOf, millisecondsIn, seconds, type Clock } from '../../../shared/clock.js';
import { AppError } from '../../../shared/errors.js';
import type { ServiceState } from '../../../shared/service-state.js';
import type { ChannelDirectory } from '../../channels/index.js';
import type { OptionValues } from '../../../options/option.service.js';
import type { PriceBook } from '../../../billing/prices/index.js';
import { hour, type Range, type Snapshots } from '../../../billing/rollups/index.js';
import { nameOf, readFailingHours, type FailingHour, type HourlyFailures } from './failing-hours.js';
import { incidentsOf, problemsOf, stateOf, uptimeOf, worse, type Incident, type Problem } from './status-timeline.js';

/** Hours of a period, including the running one, and of its buckets. */
export const statusPeriods = {
  DAY: { hours: 24, bucketHours: 1 },
  WEEK: { hours: 168, bucketHours: 6 },
  MONTH: { hours: 720, bucketHours: 24 },
  QUARTER: { hours: 2160, bucketHours: 24 },
} as const;
export type StatusPeriod = keyof typeof statusPeriods;

/** A model in a group. */
export interface ServiceStatus {
  readonly modelName: string;
  readonly group: string;
  /** The current state. */
  readonly state: ServiceState;
  /** Share of the hours without an outage, 0 to 1. */
  readonly uptime: number;
  /** Buckets with problems, oldest first. */
  readonly problems: readonly Problem[];
}

export interface StatusPage {
  /** Start of the oldest bucket, and end of the newest. */
  readonly from: Date;
  readonly until: Date;
  readonly bucketSeconds: number;
  /** The worst state of all models. */
  readonly state: ServiceState;
  /** The models, by name and group. */
  readonly services: readonly ServiceStatus[];
  /** The incidents, newest first, at most `maxIncidents`. */
  readonly incidents: readonly Incident[];
}

export interface StatusPageDeps {
  readonly database: Snapshots;
  readonly directory: Pick<ChannelDirectory, 'sold'>;
  readonly prices: Pick<PriceBook, 'isPriced'>;
  readonly options: {
    readonly values: Pick<OptionValues, 'status_page.enabled' | 'UserUsableGroups' | 'SelfUseModeEnabled'>;
  };
  readonly clock: Clock;
}

interface Reading {
  readonly range: Range;
  /** Unix milliseconds until which the result is shared. */
  readonly until: number;
  readonly failures: Promise<HourlyFailures>;
  readonly sold: Promise<ReadonlyArray<SoldService>>;
  /** Finished pages by the groups that are shown. */
  readonly pages: Map<string, { readonly usable: object; readonly page: Promise<StatusPage> }>;
}

interface SoldService {
  readonly modelName: string;
  readonly group: string;
  /** Whether an enabled channel serves the model. */
  readonly isServed: boolean;
}

/** Seconds for which all visitors share one result. */
export const statusCacheSeconds = 60;
export const maxIncidents = 50;

/** The state of what the site sells, for customers (docs/reference/rest/public.md#status-page). */
export class StatusPageService {
  private readonly readings = new Map<StatusPeriod, Reading>();

  constructor(private readonly deps: StatusPageDeps) {}

  /** Whether option `status_page.enabled` shows it, to everyone. */
  get isShown(): boolean {
    return this.deps.options.values['status_page.enabled'];
  }

  /**
   * Returns the status of models in the groups that the viewer can use; admins see all groups.
   * @throws AppError NOT_FOUND while the page is off
   */
  async page(viewer: MaybeActor, period: StatusPeriod): Promise<StatusPage> {
    if (!this.isShown) throw new AppError('NOT_FOUND', 'This site has no status page');
    const reading = this.read(period);
    const usable = this.deps.options.values.UserUsableGroups;
    const isAdmin = ranks[viewer?.role ?? 'guest'] >= ranks.admin;
    const own = viewer?.group || 'default';
    const key = isAdmin ? '' : own;
    const known = reading.pages.get(key);
    if (known?.usable === usable) return known.page;
    const page = this.build(reading, period, (group) => isAdmin || group === own || Object.hasOwn(usable, group));
    reading.pages.set(key, { usable, page });
    return page;
  }

  private async build(
    reading: Reading,
    period: StatusPeriod,
    isVisible: (group: string) => boolean,
  ): Promise<StatusPage> {
    const { range } = reading;
    const [{ failing, servedLast }, sold] = await Promise.all([reading.failures, reading.sold]);
    const shown = sold.filter(({ group }) => isVisible(group));
    const names = new Set(shown.map(({ modelName, group }) => nameOf(modelName, group)));
    const hours = failing.filter(({ modelName, group }) => names.has(nameOf(modelName, group)));
    const byName = new Map<string, FailingHour[]>();
    for (const each of hours) {
      const name = nameOf(each.modelName, each.group);
      const known = byName.get(name);
      if (known) known.push(each);
      else byName.set(name, [each]);
    }
    const { hours: length, bucketHours } = statusPeriods[period];
    const bucketSeconds = bucketHours * hour;
    const newest = length / bucketHours - 1;
    const services = shown.map(({ modelName, group, isServed }): ServiceStatus => {
      const name = nameOf(modelName, group);
      const own = byName.get(name) ?? [];
      const problems = problemsOf(own, range.from, bucketSeconds);
      return {
        modelName,
        group,
        uptime: uptimeOf(own, range),
        state: isServed ? currentState(own, range, servedLast.has(name)) : 'OUTAGE',
        problems: isServed ? problems : withOutage(problems, newest),
      };
    });
    return {
      from: dateOf(range.from),
      until: dateOf(range.end),
      bucketSeconds,
      state: services.reduce<ServiceState>((state, service) => worse(service.state, state), 'OPERATIONAL'),
      services,
      incidents: incidentsOf(hours, range, servedLast).slice(0, maxIncidents),
    };
  }

  private read(period: StatusPeriod): Reading {
    const { clock, database } = this.deps;
    const now = clock.now();
    const known = this.readings.get(period);
    if (known && known.until > now) return known;
    const end = seconds(clock) - (seconds(clock) % hour) + hour;
    const range = { from: end - statusPeriods[period].hours * hour, end };
    const [failures, sold] = [readFailingHours(database, range), this.sold()];
    const reading = { range, until: now + millisecondsIn(statusCacheSeconds), failures, sold, pages: new Map() };
    this.readings.set(period, reading);
    const drop = (): void => {
      if (this.readings.get(period) === reading) this.readings.delete(period);
    };
    failures.catch(drop);
    sold.catch(drop);
    return reading;
  }

  /** Returns models with a price, by name and group. On a site for its owner only, all models are included. */
  private async sold(): Promise<SoldService[]> {
    const { directory, prices, options } = this.deps;
    const found = new Map<string, SoldService>();
    for (const { prefix, models, groups, isEnabled } of await directory.sold()) {
      for (const model of models) {
        if (!options.values.SelfUseModeEnabled && !prices.isPriced(model)) continue;
        const modelName = familyOf(prefix + model);
        for (const group of groups) {
          const name = nameOf(modelName, group);
          found.set(name, { modelName, group, isServed: isEnabled || found.get(name)?.isServed === true });
        }
      }
    }
    return [...found.values()].sort(
      (one, other) => compare(one.modelName, other.modelName) || compare(one.group, other.group),
    );
  }
}

/** Adds an outage: a model without a channel is unavailable now, even without calls. */
const withOutage = (problems: readonly Problem[], newest: number): Problem[] => [
  ...problems.filter(({ bucket }) => bucket !== newest),
  { bucket: newest, state: 'OUTAGE' },
];

/** Returns the state of the running hour, or of the hour before while the running one has no calls. */
function currentState(hours: readonly FailingHour[], range: Range, isServedNow: boolean): ServiceState {
  const of = (start: number): ServiceState | null => {
    const found = hours.find((each) => each.hour === start);
    return found ? stateOf(found) : null;
  };
  return of(range.end - hour) ?? (isServedNow ? null : of(range.end - 2 * hour)) ?? 'OPERATIONAL';
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
