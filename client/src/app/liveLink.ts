import { ApolloLink } from '@apollo/client';
import { print } from 'graphql';
import { Observable } from 'rxjs';
import type { LiveContext } from '../lib/useLive.js';

/** Subscriptions over server-sent events, one connection each. The protocol's code comes with the first of them. */
export const liveLink = new ApolloLink(
  (operation) =>
    new Observable<ApolloLink.Result>((observer) => {
      const { headers, onOpen } = operation.getContext() as LiveContext;
      let closed = false;
      let close: (() => void) | undefined;
      void import('graphql-sse').then(
        ({ createClient }) => {
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
          observer.error(error);
        },
      );
      return () => {
        closed = true;
        close?.();
      };
    }),
);
