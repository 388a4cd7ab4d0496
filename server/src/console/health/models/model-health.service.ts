import { familyOf } from '../../../dialects/makers/charging.js';
import { type MaybeActor, holds, requireActor } from '../../../shared/actor.js';
import { dateOf, millisecondsIn, seconds, type Clock } from '../../../shared/clock.js';
import { ForbiddenError } from '../../../shared/errors.js';
import type { FailureKind } from '../../../shared/failure-kind.js';
import { percentile } from '../../../shared/latency.js';
import type { ChannelDirectory } from '../../channels/index.js';
import type { OptionValues } from '../../../options/option.service.js';
import { hour, type Snapshots } from '../../../billing/rollups/index.js';
import { readHealthCounts, type HealthCounts } from './health-counts.js';

/** Milliseconds. */
const second = 1000;

/** Hours that the figures cover, besides the running one. */
export const healthWindows = { HOUR: 1, DAY: 24, WEEK: 168 } as const;
export type HealthWindow = keyof typeof healthWindows;

/** A failure in the form that users may see: no provider, channel or message. */
export interface LastFailure {
  readonly kind: FailureKind;
  readonly at: Date;
}

/** The health of a model in a group. */
export interface ModelHealth {
  readonly modelName: string;
  readonly group: string;
  /**
   * Share of calls that were served, 0 to 1; null without calls. Requests that the provider refused as invalid do not
   * count.
   */
  readonly successRate: number | null;
  /** Milliseconds to the first data of half of the streamed responses, and of 95 %; null when there are none. */
  readonly firstTokenP50Ms: number | null;
  readonly firstTokenP95Ms: number | null;
  /** Completion tokens per second, from the request to the end of the response; null when there are none. */
  readonly tokensPerSecond: number | null;
  /** The last failure; null when there is none within the window. */
  readonly lastFailure: LastFailure | null;
  /** Served and failed calls. Null for users below admin, because the number is confidential. */
  readonly calls: number | null;
}

export interface HealthList {
  /** The start of the figures, at a full hour. */
  readonly from: Date;
  readonly rows: readonly ModelHealth[];
}

export interface ModelHealthDeps {
  readonly database: Snapshots;
  readonly directory: Pick<ChannelDirectory, 'offers'>;
  readonly options: { readonly values: Pick<OptionValues, 'model_health.access' | 'UserUsableGroups'> };
  readonly clock: Clock;
}

interface Cached {
  readonly from: number;
  readonly until: number;
  readonly counts: Promise<readonly HealthCounts[]>;
}

/** Seconds for which all callers share one result. */
export const healthCacheSeconds = 30;

/**
 * How well models serve calls, for readers whom option `model_health.access` allows
 * (docs/reference/rest/public.md#model-health).
 */
export class ModelHealthService {
  private readonly cached = new Map<HealthWindow, Cached>();

  constructor(private readonly deps: ModelHealthDeps) {}

  /** Whether visitors without an account may see the figures. */
  get isPublic(): boolean {
    return this.deps.options.values['model_health.access'] === 'public';
  }

  /** Whether the setting shows the figures to the viewer. */
  isShownTo(viewer: MaybeActor): boolean {
    const access = this.deps.options.values['model_health.access'];
    return access === 'public' || (access === 'user' && viewer !== null);
  }

  /**
   * Returns models that the viewer can call, by name and group.
   * @throws AppError INSUFFICIENT_PRIVILEGES while the page is off, NOT_SIGNED_IN
   */
  async list(viewer: MaybeActor, window: HealthWindow): Promise<HealthList> {
    const { from, counts } = await this.visible(viewer, window);
    const isAdmin = holds(viewer, 'usage.read');
    return { from: dateOf(from), rows: counts.map((row) => toHealth(row, isAdmin)) };
  }

  /**
   * Returns one model over all groups that the viewer can use, or in one of them.
   * @returns null without calls, or when the viewer has no such model
   * @throws AppError INSUFFICIENT_PRIVILEGES while the page is off, NOT_SIGNED_IN
   */
  async one(viewer: MaybeActor, window: HealthWindow, modelName: string, group?: string): Promise<ModelHealth | null> {
    const { counts } = await this.visible(viewer, window);
    const rows = counts.filter((row) => row.modelName === modelName && (group === undefined || row.group === group));
    return rows.length === 0 ? null : toHealth(rows.reduce(merged), false);
  }

  private async visible(
    viewer: MaybeActor,
    window: HealthWindow,
  ): Promise<{ from: number; counts: readonly HealthCounts[] }> {
    const { options, directory } = this.deps;
    const access = options.values['model_health.access'];
    if (access === 'off') throw new ForbiddenError('The health of models is not shown on this site');
    if (access === 'user') requireActor(viewer);
    const { from, counts } = this.read(window);
    const mayUse = this.groupsOf(viewer);
    const offered = new Set<string>();
    for (const { prefix, models, groups } of await directory.offers()) {
      for (const group of groups) {
        if (!mayUse(group)) continue;
        for (const model of models) offered.add(nameOf(familyOf(prefix + model), group));
      }
    }
    const found = (await counts).filter((row) => offered.has(nameOf(row.modelName, row.group)));
    return { from, counts: found };
  }

  /** Returns a test for groups in which the viewer can call models. Admins see all groups. */
  private groupsOf(viewer: MaybeActor): (group: string) => boolean {
    if (holds(viewer, 'usage.read')) return () => true;
    const usable = this.deps.options.values.UserUsableGroups;
    const own = viewer?.group || 'default';
    return (group) => group === own || Object.hasOwn(usable, group);
  }

  private read(window: HealthWindow): Cached {
    const { clock, database } = this.deps;
    const now = clock.now();
    const known = this.cached.get(window);
    if (known && known.until > now) return known;
    const running = seconds(clock) - (seconds(clock) % hour);
    const range = { from: running - healthWindows[window] * hour, end: running + hour };
    const counts = readHealthCounts(database, range);
    const read = { from: range.from, until: now + millisecondsIn(healthCacheSeconds), counts };
    this.cached.set(window, read);
    counts.catch(() => this.cached.delete(window));
    return read;
  }
}

const nameOf = (model: string, group: string): string => `${group}\0${model}`;

function merged(one: HealthCounts, other: HealthCounts): HealthCounts {
  const later = (other.lastFailure?.at ?? 0) > (one.lastFailure?.at ?? 0) ? other : one;
  return {
    modelName: one.modelName,
    group: '',
    served: one.served + other.served,
    failed: one.failed + other.failed,
    completionTokens: one.completionTokens + other.completionTokens,
    durationMs: one.durationMs + other.durationMs,
    firstTokenBuckets: sumOf(one.firstTokenBuckets, other.firstTokenBuckets),
    lastFailure: later.lastFailure,
  };
}

const sumOf = (one: readonly number[], other: readonly number[]): number[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, at) => (one[at] ?? 0) + (other[at] ?? 0));

function toHealth(row: HealthCounts, isAdmin: boolean): ModelHealth {
  const { modelName, group, served, failed, completionTokens, durationMs, firstTokenBuckets, lastFailure } = row;
  return {
    modelName,
    group,
    successRate: served + failed === 0 ? null : served / (served + failed),
    firstTokenP50Ms: percentile(firstTokenBuckets, 0.5),
    firstTokenP95Ms: percentile(firstTokenBuckets, 0.95),
    tokensPerSecond: completionTokens > 0 && durationMs > 0 ? (completionTokens * second) / durationMs : null,
    lastFailure: lastFailure && { kind: lastFailure.kind, at: dateOf(lastFailure.at) },
    calls: isAdmin ? served + failed : null,
  };
}
