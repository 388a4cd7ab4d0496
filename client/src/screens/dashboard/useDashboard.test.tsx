import { ApolloClient, ApolloLink, InMemoryCache, Observable } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { dashboardRange } from '../../nouns/dashboards/dashboardRange.js';
import { useDashboard } from './useDashboard.js';

/** Requests that wait for their response, in order. */
const waiting: Array<(calls: number | Error) => void> = [];

const metrics = (calls: number) => ({
  quota: 0,
  calls,
  totalTokens: 0,
  promptTokens: 0,
  completionTokens: 0,
  failedCalls: 0,
  averageMs: null,
  errorRate: null,
});

const link = new ApolloLink(
  ({ operationName }) =>
    new Observable((observer) => {
      const answer = (data: Record<string, unknown>) => {
        observer.next({ data });
        observer.complete();
      };
      if (operationName !== 'Dashboard') return answer({ myLogs: { lastMinute: { calls: 0, tokens: 0 } } });
      waiting.push((calls) =>
        calls instanceof Error
          ? observer.error(calls)
          : answer({
              myUsage: {
                range: { from: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z' },
                items: [],
                total: metrics(calls),
                comparedTotal: metrics(0),
              },
              mySpend: { items: [] },
              myModels: { items: [] },
            }),
      );
      return undefined;
    }),
);

const week = dashboardRange({ days: '7', from: null, to: null });
const day = dashboardRange({ days: '1', from: null, to: null });
const open = () => {
  waiting.length = 0;
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <ApolloProvider client={client}>{children}</ApolloProvider>
  );
  const whose = { everybody: false, username: '' };
  return renderHook(({ range }) => useDashboard(whose, range, 'hour'), { wrapper, initialProps: { range: week } });
};

it('shows the range that was chosen last, also when an earlier refresh answers later', async () => {
  const { result, rerender } = open();
  await waitFor(() => expect(waiting).toHaveLength(1));
  act(() => waiting[0]?.(7));
  await waitFor(() => expect(result.current.data?.current.calls).toBe(7));
  act(() => result.current.refresh());
  await waitFor(() => expect(waiting).toHaveLength(2));
  rerender({ range: day });
  await waitFor(() => expect(waiting).toHaveLength(3));
  act(() => waiting[2]?.(1));
  await waitFor(() => expect(result.current.data?.current.calls).toBe(1));
  act(() => waiting[1]?.(700));
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(result.current.data?.current.calls).toBe(1);
});

it('keeps its numbers when they cannot be refreshed, but not under a range that could not be read', async () => {
  const { result, rerender } = open();
  await waitFor(() => expect(waiting).toHaveLength(1));
  act(() => waiting[0]?.(7));
  await waitFor(() => expect(result.current.data?.current.calls).toBe(7));
  act(() => result.current.refresh());
  await waitFor(() => expect(waiting).toHaveLength(2));
  act(() => waiting[1]?.(new Error('busy')));
  await waitFor(() => expect(result.current.error).toBeDefined());
  expect(result.current.data?.current.calls).toBe(7);
  rerender({ range: day });
  await waitFor(() => expect(waiting).toHaveLength(3));
  expect(result.current.data?.current.calls).toBe(7);
  act(() => waiting[2]?.(new Error('busy')));
  await waitFor(() => expect(result.current.data).toBeUndefined());
});
