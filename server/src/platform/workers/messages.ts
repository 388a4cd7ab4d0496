import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { StateRequest, StateResponse } from '../cache/state-messages.js';

/** The metrics of one worker. */
export type WorkerMetrics = ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>;

/** A message from a worker to the primary. */
export type ToPrimary =
  | StateRequest
  /** The worker serves calls. `url` and `setupCode` have the meaning of `StartedServer`. */
  | { readonly kind: 'ready'; readonly url: string; readonly setupCode: string | null }
  /**
   * The worker asks for the metrics of all workers, or sends its own. `id` is null for the last metrics before it ends.
   */
  | { readonly kind: 'gather'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number | null; readonly metrics: WorkerMetrics };

/** A message from the primary to a worker. */
export type ToWorker =
  | StateResponse
  /** The worker must finish its calls and end. `isReplaced`: another worker already serves in its place. */
  | { readonly kind: 'stop'; readonly isReplaced: boolean }
  /** The worker must send its metrics, or gets those of all workers that it has asked for. */
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly metrics: readonly WorkerMetrics[] };
