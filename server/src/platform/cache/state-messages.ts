import type { SharedState } from './shared-state.js';

/** Methods of the shared state that a worker calls at its primary. */
export type StateMethod = Exclude<keyof SharedState, 'subscribe' | 'onGap' | 'ping' | 'close'>;

/** A message from a worker. It gets a response unless it only subscribes. */
export type StateRequest =
  | {
      readonly kind: 'state';
      readonly id: number;
      readonly method: StateMethod;
      readonly parameters: readonly unknown[];
    }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly channel: string };

/** A message from the primary. */
export type StateResponse =
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }
  | { readonly kind: 'published'; readonly channel: string; readonly message: string };
