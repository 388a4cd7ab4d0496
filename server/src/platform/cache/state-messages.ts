import type { SharedState } from './shared-state.js';

/** Methods of the shared state that a worker asks its primary for. */
export type StateMethod = Exclude<keyof SharedState, 'subscribe' | 'onGap' | 'ping' | 'close'>;

/** From a worker. Answered unless it only subscribes. */
export type StateRequest =
  | {
      readonly kind: 'state';
      readonly id: number;
      readonly method: StateMethod;
      readonly parameters: readonly unknown[];
    }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly channel: string };

/** From the primary. */
export type StateResponse =
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }
  | { readonly kind: 'published'; readonly channel: string; readonly message: string };
