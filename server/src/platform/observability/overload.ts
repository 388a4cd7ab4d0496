import { getHeapStatistics } from 'node:v8';
import type { Logger } from 'pino';
import { UnavailableError } from '../../shared/errors.js';
import { collectGarbage } from '../heap.js';
import type { Metrics } from './metrics.js';

/** Thresholds above which the node refuses new calls; 0 disables a threshold. */
export interface OverloadMarks {
  /** Share of the heap limit in use, in percent. */
  readonly heapPercent: number;
  /** Milliseconds by which timers fire late, smoothed over some seconds. */
  readonly loopDelay: number;
  /** Milliseconds that the oldest reservation has waited for the database. */
  readonly databaseWait: number;
}

export type OverloadReason = 'heap' | 'event_loop' | 'database';

/** Readings of one moment; tests provide their own. */
export interface OverloadReadings {
  /** Percent of the heap limit in use. */
  heapPercent(): number;
  /** Milliseconds that the oldest reservation has waited; 0 when none waits. */
  databaseWait(): number;
}

const tickMilliseconds = 250;
/** Weight of the newest reading. A single long pause has passed when it is noticed; a series of pauses is load. */
const smoothing = 0.3;
/**
 * Uncollected garbage counts as used memory, so the heap is collected once after this many ticks above the threshold.
 */
const ticksBeforeCollect = 4;
const ticksBetweenCollects = 20;
const retryAfterSeconds = 2;

/**
 * Decides whether this node accepts new calls. It measures itself four times a second, so a call costs one comparison.
 * Calls in flight always finish.
 */
export class Overload {
  /** The reason why new calls are refused; null while they are accepted. Every call reads it. */
  reason: OverloadReason | null = null;
  private delay = 0;
  private ticks = 0;
  private lastTick = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly gauge;
  private readonly shed;

  constructor(
    private readonly marks: OverloadMarks,
    private readonly readings: OverloadReadings,
    metrics: Metrics,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {
    this.gauge = metrics.overload;
    this.shed = metrics.shedCalls;
  }

  /** Measures once per tick how late the event loop is. */
  start(): void {
    this.lastTick = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      this.tick(Math.max(0, now - this.lastTick - tickMilliseconds));
      this.lastTick = now;
    }, tickMilliseconds);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** @throws UnavailableError with the time to wait, while the node is overloaded */
  admit(): void {
    if (this.reason === null) return;
    this.shed.inc({ reason: this.reason });
    throw new UnavailableError('The server is overloaded, try again shortly', { retryAfterSeconds });
  }

  /** @param lateness milliseconds that the timer fired late */
  tick(lateness: number): void {
    const { heapPercent, loopDelay, databaseWait } = this.marks;
    this.delay += smoothing * (lateness - this.delay);
    let next: OverloadReason | null = null;
    if (heapPercent > 0 && this.readings.heapPercent() > heapPercent) next = 'heap';
    else if (loopDelay > 0 && this.delay > loopDelay) next = 'event_loop';
    else if (databaseWait > 0 && this.readings.databaseWait() > databaseWait) next = 'database';
    this.ticks = next === this.reason ? this.ticks + 1 : 0;
    if (next !== this.reason) this.change(next);
    // While no call is accepted nothing is allocated either, so the engine would see no reason to collect.
    if (next === 'heap' && this.ticks % ticksBetweenCollects === ticksBeforeCollect) collectGarbage();
  }

  private change(next: OverloadReason | null): void {
    if (next === null) this.logger.info({ reason: this.reason }, 'overload ended');
    else
      this.logger.warn(
        { reason: next, heapPercent: this.readings.heapPercent(), loopDelay: this.delay },
        'overloaded: new calls are refused',
      );
    for (const reason of ['heap', 'event_loop', 'database']) this.gauge.set({ reason }, reason === next ? 1 : 0);
    this.reason = next;
  }
}

/** Percent of the heap limit in use. */
export function heapPercent(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return (used / limit) * 100;
}
