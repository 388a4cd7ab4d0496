import { ApolloLink, gql, type TypedDocumentNode } from '@apollo/client';
import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { Observable, type Subscriber } from 'rxjs';
import { renderScreen } from '../testing/renderScreen.js';
import { pollMilliseconds, useLive, type LiveContext } from './useLive.js';

type Data = { readonly ticked: number };
const ticked: TypedDocumentNode<Data, { filter: string }> = gql`
  subscription Ticked($filter: String) {
    ticked(filter: $filter)
  }
`;

interface Opened {
  readonly observer: Subscriber<ApolloLink.Result>;
  readonly variables: object;
  readonly open: () => void;
  closed: boolean;
}
let streams: Opened[];
const live = new ApolloLink(
  (operation) =>
    new Observable((observer) => {
      const { onOpen } = operation.getContext() as LiveContext;
      const opened: Opened = { observer, variables: operation.variables, open: () => onOpen?.(), closed: false };
      streams.push(opened);
      return () => {
        opened.closed = true;
      };
    }),
);

const seen = jest.fn();
const caughtUp = jest.fn();
let change: (filter: string) => void;

function Watcher() {
  const [filter, setFilter] = useState('all');
  change = setFilter;
  const state = useLive(ticked, { variables: { filter }, cached: false, onData: seen, onCatchUp: caughtUp });
  return <p>{state}</p>;
}

const last = (): Opened => streams.at(-1) as Opened;
const after = (milliseconds: number): Promise<void> => act(() => jest.advanceTimersByTimeAsync(milliseconds));
const hide = (hidden: boolean): void => {
  Object.defineProperty(document, 'visibilityState', { value: hidden ? 'hidden' : 'visible', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
};

beforeEach(async () => {
  streams = [];
  seen.mockClear();
  caughtUp.mockClear();
  hide(false);
});
afterEach(() => {
  jest.useRealTimers();
});

async function start(): Promise<{ unmount: () => void }> {
  const result = await renderScreen({ routes: [{ path: '/', element: <Watcher /> }], live });
  jest.useFakeTimers();
  return result;
}

it('opens one stream, says when it is live, hands on what comes, and closes it with its screen', async () => {
  const { unmount } = await start();
  screen.getByText('connecting');
  act(() => last().open());
  screen.getByText('live');
  expect(caughtUp).toHaveBeenCalledTimes(1);
  act(() => last().observer.next({ data: { ticked: 1 } }));
  expect(seen).toHaveBeenCalledWith({ ticked: 1 });
  expect(streams).toHaveLength(1);
  unmount();
  expect(last().closed).toBe(true);
  await jest.advanceTimersByTimeAsync(10 * pollMilliseconds);
  expect(streams).toHaveLength(1);
  expect(caughtUp).toHaveBeenCalledTimes(1);
  expect(jest.getTimerCount()).toBe(0);
});

it('polls while no stream can be had, tries again later each time, and is live again without a poll', async () => {
  await start();
  act(() => last().observer.error(new Error('refused')));
  screen.getByText('polling');
  expect(caughtUp).not.toHaveBeenCalled();
  await after(2000);
  expect(streams).toHaveLength(2);
  act(() => last().observer.complete());
  await after(3999);
  expect(streams).toHaveLength(2);
  await after(1);
  expect(streams).toHaveLength(3);
  await after(pollMilliseconds);
  expect(caughtUp).toHaveBeenCalledTimes(1);
  act(() => last().open());
  screen.getByText('live');
  expect(caughtUp).toHaveBeenCalledTimes(2);
  await after(4 * pollMilliseconds);
  expect(caughtUp).toHaveBeenCalledTimes(2);
  expect(streams).toHaveLength(3);
});

it('asks an ordinary call at once when the server ends it with a reason', async () => {
  await start();
  act(() => last().open());
  caughtUp.mockClear();
  const errors = [{ message: 'No permission', extensions: { code: 'NOT_SIGNED_IN' } }];
  act(() => last().observer.next({ errors }));
  await after(0);
  expect(caughtUp).toHaveBeenCalledTimes(1);
  expect(last().closed).toBe(true);
  screen.getByText('polling');
});

it('gives the connection back while nobody looks, and catches up when somebody does', async () => {
  await start();
  act(() => last().open());
  act(() => {
    hide(true);
  });
  await after(9_000);
  expect(last().closed).toBe(false);
  await after(1_000);
  screen.getByText('off');
  expect(last().closed).toBe(true);
  act(() => {
    hide(false);
  });
  expect(streams).toHaveLength(2);
  act(() => last().open());
  expect(caughtUp).toHaveBeenCalledTimes(2);
});

it('is opened anew for other variables', async () => {
  await start();
  act(() => {
    change('mine');
  });
  expect(streams.map(({ variables, closed }) => [variables, closed])).toEqual([
    [{ filter: 'all' }, true],
    [{ filter: 'mine' }, false],
  ]);
});
