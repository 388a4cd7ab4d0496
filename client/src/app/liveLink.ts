import { ApolloLink } from '@apollo/client';
import { print } from 'graphql';
import { Observable } from 'rxjs';
import { sitePath } from '../lib/basePath.js';
import type { LiveContext } from '../lib/useLive.js';

/** The protocol's client, loaded with the first subscription. */
let fetched: ReturnType<typeof fetchProtocol> | undefined;

async function fetchProtocol() {
  // Destructuring lets the bundler leave the server half of the package out of the chunk.
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
            url: sitePath('/graphql/stream'),
            credentials: 'same-origin',
            headers: headers ?? {},
            // `useLive` decides when to retry, and polls until then.
            retryAttempts: 0,
            on: { connected: () => onOpen?.() },
          });
          const { operationName, variables } = operation;
          close = client.subscribe(
            { query: print(operation.query), variables, ...(operationName ? { operationName } : {}) },
            {
              next: (result) => observer.next(result as ApolloLink.Result),
              error: (error) => observer.error(error),
              complete: () => observer.complete(),
            },
          );
        },
        (error: unknown) => {
          // The next subscription requests the chunk again.
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
