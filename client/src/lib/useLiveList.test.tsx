import { ApolloLink, gql, type TypedDocumentNode } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { act, screen } from '@testing-library/react';
import { Observable, type Subscriber } from 'rxjs';
import { renderScreen } from '../testing/renderScreen.js';
import type { LiveContext } from './useLive.js';
import { useLiveList } from './useLiveList.js';

interface Job {
  readonly __typename: 'Job';
  readonly id: number;
  readonly progress: string;
}
const jobs: TypedDocumentNode<{ jobs: Job[] }, Record<string, never>> = gql`
  query Jobs {
    jobs {
      id
      progress
    }
  }
`;
type Changed = { readonly jobChanged: { readonly items: readonly Job[]; readonly missed: number } };
const changed: TypedDocumentNode<Changed, Record<string, never>> = gql`
  subscription JobChanged {
    jobChanged {
      items {
        id
        progress
      }
      missed
    }
  }
`;

const job = (id: number, progress: string): Job => ({ __typename: 'Job', id, progress });
let streams: Array<{ readonly observer: Subscriber<ApolloLink.Result>; readonly open: () => void }>;
let closed: number;
const live = new ApolloLink(
  (operation) =>
    new Observable((observer) => {
      const { onOpen } = operation.getContext() as LiveContext;
      streams.push({ observer, open: () => onOpen?.() });
      return () => {
        closed++;
      };
    }),
);
const mocks = [{ request: { query: jobs }, result: { data: { jobs: [job(1, '0%'), job(2, '0%')] } } }];
const reload = jest.fn();
let pause: (paused: boolean) => void;

function Jobs({ takesNew }: { readonly takesNew: boolean }) {
  const rows = useQuery(jobs).data?.jobs;
  const list = useLiveList({
    document: changed,
    variables: {},
    changedOf: ({ jobChanged }) => jobChanged,
    rows,
    takesNew,
    reload,
  });
  pause = list.setPaused;
  return <p>{[list.state, ...(rows ?? []).map(({ id, progress }) => `${String(id)} ${progress}`)].join(', ')}</p>;
}

const say = (items: readonly Job[], missed = 0): void => {
  act(() => {
    streams.at(-1)?.observer.next({ data: { jobChanged: { __typename: 'JobsChanged', items, missed } } });
  });
};
const after = (milliseconds: number): Promise<void> => act(() => jest.advanceTimersByTimeAsync(milliseconds));

beforeEach(() => {
  streams = [];
  closed = 0;
  reload.mockClear();
});
afterEach(() => {
  jest.useRealTimers();
});

async function start(takesNew = true): Promise<void> {
  await renderScreen({ routes: [{ path: '/', element: <Jobs takesNew={takesNew} /> }], mocks, live });
  await screen.findByText('connecting, 1 0%, 2 0%');
  jest.useFakeTimers();
  act(() => streams[0]?.open());
  // The list is reloaded, because updates may have been missed until now.
  await after(3000);
  expect(reload).toHaveBeenCalledTimes(1);
  reload.mockClear();
}

it('shows the rows of the screen as they move on, without reading the list again', async () => {
  await start();
  say([job(2, '40%')]);
  await after(50);
  screen.getByText('live, 1 0%, 2 40%');
  say([job(2, '100%'), job(1, '10%')]);
  await after(50);
  screen.getByText('live, 1 10%, 2 100%');
  await after(10_000);
  expect(reload).not.toHaveBeenCalled();
});

it('reads the list again, once for many, for rows it does not show and for what nobody listed', async () => {
  await start();
  say([job(3, '0%')]);
  say([job(4, '0%')]);
  say([], 5);
  expect(reload).not.toHaveBeenCalled();
  await after(3000);
  expect(reload).toHaveBeenCalledTimes(1);
  say([], 1);
  await after(3000);
  expect(reload).toHaveBeenCalledTimes(2);
});

it('leaves a later page alone when something new comes', async () => {
  await start(false);
  say([job(3, '0%')]);
  await after(10_000);
  expect(reload).not.toHaveBeenCalled();
});

it('closes its stream while it is paused, and catches up when it goes on', async () => {
  await start();
  act(() => {
    pause(true);
  });
  expect(closed).toBe(1);
  screen.getByText(/^off/);
  act(() => {
    pause(false);
  });
  act(() => streams.at(-1)?.open());
  screen.getByText(/^live/);
  await after(3000);
  expect(reload).toHaveBeenCalledTimes(1);
});
