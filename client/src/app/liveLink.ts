import { ApolloLink } from '@apollo/client';
import { print } from 'graphql';
import { Observable } from 'rxjs';
import { whenIdle } from '../lib/idle.js';
import type { LiveContext } from '../lib/useLive.js';

/** The protocol's code. It comes with the first subscription, once what the reader waits for is there. */
let fetched: ReturnType<typeof fetchProtocol> | undefined;

async function fetchProtocol() {
  await new Promise<void>((resolve) => {
    whenIdle(resolve);
  });
  // By its name: everything else of it, with all that runs a server's side, stays away.
  const { createClient } = await import('graphql-sse');
  return createClient;
}

/** Subscriptions over server-sent events, one connection each. */
export const liveLink = new ApolloLink(
  (operation) =>
    new Observable<ApolloLink.Result>((observer) => {
      const { headers, onOpen } = operation.getContext() as LiveContext;
      let closed = false;
      let close: (() => void) | undefined;
      fetched ??= fetchProtocol();
      void fetched.then(
        (createClient) => {
          if (closed) return;
          const client = createClient({
            url: '/graphql/stream',
            credentials: 'same-origin',
            headers: headers ?? {},
            // Who watches decides when it is tried again, and what happens until then.
            retryAttempts: 0,
            on: { connected: () => onOpen?.() },
          });
          const { operationName, variables } = operation;
          close = client.subscribe(
            { query: print(operation.query), variables, ...(operationName ? { operationName } : {}) },
            {
              next: (result) => {
                observer.next(result as ApolloLink.Result);
              },
              error: (error) => {
                observer.error(error);
              },
              complete: () => {
                observer.complete();
              },
            },
          );
        },
        (error: unknown) => {
          // The next one tries again.
          fetched = undefined;
          observer.error(error);
        },
      );
      return () => {
        closed = true;
        close?.();
      };
    }),
);
