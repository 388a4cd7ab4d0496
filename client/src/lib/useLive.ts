import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { toFailure } from './errors.js';

/**
 * `connecting`: before the first connection. `live`: the stream is open. `polling`: the stream cannot be opened, and
 * the data is polled instead. `off`: the page is hidden.
 */
export type LiveState = 'connecting' | 'live' | 'polling' | 'off';

/** Context that a live operation passes to its link. */
export interface LiveContext {
  readonly headers?: Record<string, string>;
  readonly onOpen?: () => void;
}

export interface LiveOptions<Data, Variables> {
  readonly variables: Variables;
  /** True: no subscription is opened. */
  readonly skip?: boolean;
  /** False: received data is not written to the cache. */
  readonly cached?: boolean;
  readonly onData: (data: Data) => void;
  /** Called when data may have been missed: the stream was just opened, or cannot be. Reload the data. */
  readonly onCatchUp: () => void;
}

export const pollMilliseconds = 15_000;
const firstRetry = 2_000;
const lastRetry = 60_000;
/** Time until a hidden window closes its connection: browsers allow few connections per host. */
const hiddenMilliseconds = 10_000;

/** One subscription while its component is mounted and the window visible. Falls back to polling without a stream. */
export function useLive<Data, Variables extends OperationVariables>(
  document: TypedDocumentNode<Data, Variables>,
  options: LiveOptions<Data, Variables>,
): LiveState {
  const client = useApolloClient();
  const looked = useLookedAt();
  const [state, setState] = useState<LiveState>('connecting');
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });

  const { skip = false, cached = true } = options;
  const variables = JSON.stringify(options.variables);
  useEffect(() => {
    if (skip || !looked) {
      setState('off');
      return undefined;
    }
    setState('connecting');
    const watch = new Watch({
      open: (onOpen, onData, onEnd) => {
        const stream = client
          .subscribe({
            query: document,
            variables: JSON.parse(variables) as Variables,
            fetchPolicy: cached ? 'network-only' : 'no-cache',
            context: { onOpen } satisfies LiveContext,
          })
          .subscribe({
            next: ({ data, error }) => {
              if (error) onEnd(error);
              else if (data) onData(data);
            },
            error: onEnd,
            complete: () => onEnd(null),
          });
        return () => stream.unsubscribe();
      },
      onData: (data: Data) => latest.current.onData(data),
      onCatchUp: () => latest.current.onCatchUp(),
      onState: setState,
    });
    return () => watch.end();
  }, [client, document, variables, skip, cached, looked]);
  return state;
}

interface WatchParts<Data> {
  readonly open: (onOpen: () => void, onData: (data: Data) => void, onEnd: (error: unknown) => void) => () => void;
  readonly onData: (data: Data) => void;
  readonly onCatchUp: () => void;
  readonly onState: (state: LiveState) => void;
}

/** Opens a stream and reopens it after failures with increasing delays, polling in the meantime. */
class Watch<Data> {
  private close: (() => void) | null = null;
  private retry: ReturnType<typeof setTimeout> | null = null;
  private poll: ReturnType<typeof setInterval> | null = null;
  private failures = 0;
  private ended = false;

  constructor(private readonly parts: WatchParts<Data>) {
    this.start();
  }

  end(): void {
    this.ended = true;
    this.close?.();
    if (this.retry) clearTimeout(this.retry);
    this.stopPolling();
  }

  private start(): void {
    let over = false;
    const close = this.parts.open(
      () => {
        if (over || this.ended) return;
        this.failures = 0;
        this.stopPolling();
        this.parts.onState('live');
        this.parts.onCatchUp();
      },
      (data) => {
        if (!over && !this.ended) this.parts.onData(data);
      },
      (error) => {
        if (over || this.ended) return;
        over = true;
        this.close?.();
        this.close = null;
        this.failed(error);
      },
    );
    // The stream may have ended before `close` was assigned.
    if (over) close();
    else this.close = close;
  }

  private failed(error: unknown): void {
    this.parts.onState('polling');
    this.poll ??= setInterval(this.parts.onCatchUp, pollMilliseconds);
    // The server refused the subscription. An ordinary request runs the usual error handling, such as sign-out.
    if (error !== null && toFailure(error).code !== 'NETWORK') this.parts.onCatchUp();
    this.retry = setTimeout(() => this.start(), Math.min(lastRetry, firstRetry * 2 ** this.failures++));
  }

  private stopPolling(): void {
    if (this.poll) clearInterval(this.poll);
    this.poll = null;
  }
}

function useLookedAt(): boolean {
  const [looked, setLooked] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setLooked(true);
      else timer = setTimeout(setLooked, hiddenMilliseconds, false);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return looked;
}
