import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { StateRequest, StateResponse } from '../cache/state-messages.js';

/** The metrics of one worker. */
export type WorkerMetrics = ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>;

/** From a worker to the primary. */
export type ToPrimary =
  | StateRequest
  /** It serves calls. `url` and `setupCode` as in `StartedServer`. */
  | { readonly kind: 'ready'; readonly url: string; readonly setupCode: string | null }
  /** It asks for the metrics of all workers, or sends its own. `id` is null for the last ones before it ends. */
  | { readonly kind: 'gather'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number | null; readonly metrics: WorkerMetrics };

/** From the primary to a worker. */
export type ToWorker =
  | StateResponse
  /** It has to finish its calls and end. `isReplaced`: another worker serves already in its place. */
  | { readonly kind: 'stop'; readonly isReplaced: boolean }
  /** It has to send its metrics, or has asked for those of all workers. */
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly metrics: readonly WorkerMetrics[] };
