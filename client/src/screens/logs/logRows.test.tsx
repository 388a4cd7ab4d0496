import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../lib/useFormat.js';
import { answers, failsOnce } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { LogCard } from '../../nouns/logs/LogCard.js';
import { ModelCell, TimeChips, TypeCell } from '../../nouns/logs/logCells.js';
import { logColumns } from '../../nouns/logs/logColumns.js';
import { LogDetailBody } from '../../nouns/logs/LogDetail.js';
import { LogStats, useLogStats } from './LogStats.js';
import type { LogRow } from '../../nouns/logs/logRow.js';
import { LogStatDocument, type LogFilter } from '../../nouns/logs/logs.generated.js';

const call = {
  id: 7,
  type: 'CONSUME',
  at: '2025-11-20T14:32:08.000Z',
  modelName: 'gpt-4o',
  content: '',
  quota: 100,
  durationMs: 412,
  timeToFirstTokenMs: 87,
  isStream: true,
  error: null,
  reasoningTokens: 0,
  price: null,
} as unknown as LogRow;

it('shows short durations in milliseconds, as stored', () => {
  render(<TimeChips row={call} />);
  screen.getByText('412 ms');
  screen.getByText('87 ms');
});

it('shows why a call failed, in the row and in its detail', async () => {
  const failed: LogRow = {
    ...call,
    type: 'ERROR',
    quota: 0,
    error: { status: 503, code: 'no_available_channel', message: 'No available channel' },
  };
  await renderScreen({
    path: '/',
    routes: [
      {
        path: '/',
        element: (
          <>
            <div data-testid="cell">
              <ModelCell row={failed} />
            </div>
            <LogDetailBody row={failed} isAdmin />
          </>
        ),
      },
    ],
  });
  expect(screen.getByTestId('cell')).toHaveTextContent('gpt-4o 503 no_available_channel No available channel');
  screen.getByText('503');
  screen.getByText('no_available_channel');
  screen.getByText('412 ms');
});

it.each([
  ['CONSUME', 500_000, '$1.000000', 'Cost'],
  ['TOP_UP', 5_000_000, '+$10.00', 'Amount'],
  ['CHECK_IN', 500, '+$0.001000', 'Amount'],
  ['MANAGE', -500_000, '-$1.00', 'Amount'],
] as const)('shows the amount of %s rows as %d quota', async (type, quota, text, label) => {
  const row: LogRow = { ...call, type, quota, content: 'note' };
  const Row = () => {
    const { t } = useTranslation();
    const format = useFormat();
    const cell = logColumns({ t, format, isAdmin: true, openUser: null }).find(({ field }) => field === 'quota');
    return (
      <>
        <div data-testid="cell">{cell?.renderCell?.({ row } as never)}</div>
        <LogCard row={row} format={format} isAdmin />
        <LogDetailBody row={row} isAdmin />
      </>
    );
  };
  await renderScreen({ path: '/', routes: [{ path: '/', element: <Row /> }] });
  expect(screen.getByTestId('cell')).toHaveTextContent(text);
  expect(screen.getAllByText(text)).toHaveLength(3);
  screen.getByText(label);
});

it('names a failed call on a card by its model, with the error below', async () => {
  const failed: LogRow = { ...call, type: 'ERROR', modelName: 'gpt-4o', content: 'Incorrect API key provided' };
  const Card = () => <LogCard row={failed} format={useFormat()} isAdmin />;
  await renderScreen({ path: '/', routes: [{ path: '/', element: <Card /> }] });
  screen.getByText('gpt-4o');
  screen.getByText('Incorrect API key provided');
});

it('names the test of a channel so, without an amount', async () => {
  const test: LogRow = { ...call, type: 'TEST' };
  await renderScreen({
    path: '/',
    routes: [
      {
        path: '/',
        element: (
          <>
            <TypeCell type={test.type} />
            <LogDetailBody row={test} isAdmin />
          </>
        ),
      },
    ],
  });
  screen.getByText('Test');
  screen.getByText(/No user paid for it/);
  expect(screen.queryByText('$0.000200')).toBeNull();
});

function Badges({ filter, question = '' }: { readonly filter: LogFilter; readonly question?: string }) {
  return <LogStats stats={useLogStats(filter, question, true)} />;
}

describe('the badges', () => {
  const stat = {
    logs: {
      __typename: 'LogPage',
      sums: { __typename: 'LogSums', quota: 21_465_000, promptTokens: 120, completionTokens: 30 },
      lastMinute: { __typename: 'LogRate', calls: 3, tokens: 40 },
    },
  };
  const open = (filter: LogFilter, mocks: readonly object[]) =>
    renderScreen({
      path: '/',
      routes: [{ path: '/', element: <Badges filter={filter} /> }],
      mocks: mocks as never,
    });

  it('are of the listed type of rows', async () => {
    await open({ types: ['ERROR'] }, [answers(LogStatDocument, stat)]);
    await screen.findByText('$0.00');
    expect(screen.queryByText('150')).toBeNull();
  });

  it('are of all calls without a type', async () => {
    await open({}, [answers(LogStatDocument, stat)]);
    await screen.findByText('$42.93');
    screen.getByText('150');
  });

  it('show dashes instead of the totals of an earlier filter when those of the chosen one cannot be loaded', async () => {
    function Page() {
      const [username, setUsername] = useState('');
      const filter = username === '' ? {} : { username };
      return (
        <>
          <button onClick={() => setUsername('ada')}>Only Ada</button>
          <Badges filter={filter} question={username} />
        </>
      );
    }
    const ofAll = { query: LogStatDocument, variables: ({ filter }: { filter: LogFilter }) => !filter.username };
    const mocks = [{ request: ofAll, result: { data: stat } }, ...failsOnce(LogStatDocument, 'database', stat)];
    await renderScreen({ path: '/', routes: [{ path: '/', element: <Page /> }], mocks: mocks as never });
    await screen.findByText('$42.93');
    fireEvent.click(screen.getByRole('button', { name: 'Only Ada' }));
    expect(await screen.findAllByText('–')).toHaveLength(6);
  });

  it('show dashes when they cannot be loaded', async () => {
    await open({}, failsOnce(LogStatDocument, 'database', stat));
    expect(await screen.findAllByText('–')).toHaveLength(6);
  });
});
