import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { session } from '../../lib/session.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { ListGrid } from './ListGrid.js';
import type { ListGridProps } from './listGridProps.js';

interface Row {
  readonly id: number;
  readonly name: string;
}

const rows: Row[] = [
  { id: 1, name: 'one' },
  { id: 2, name: 'two' },
];

function List(props: Partial<ListGridProps<Row>>) {
  const grid = useServerGrid({ filters: { keyword: '' } });
  return (
    <ListGrid<Row>
      label="Things"
      grid={grid}
      columns={[{ field: 'name', headerName: 'Name', flex: 1 }]}
      rows={rows}
      totalCount={24}
      loading={false}
      onRetry={() => undefined}
      getRowId={(row) => row.id}
      renderCard={(row) => row.name}
      empty={<p>no things yet</p>}
      {...props}
    />
  );
}

const show = (props: Partial<ListGridProps<Row>>, path = '/') =>
  renderScreen({ path, routes: [{ path: '/', element: <List {...props} /> }] });

/** `matchMedia` of jsdom matches nothing; a phone matches the narrow query. */
function beNarrow(narrow: boolean): void {
  jest.spyOn(window, 'matchMedia').mockImplementation(
    (query: string) =>
      ({
        matches: narrow && query.includes('max-width:599'),
        media: query,
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
        addListener: () => undefined,
        removeListener: () => undefined,
      }) as unknown as MediaQueryList,
  );
}
afterEach(() => jest.restoreAllMocks());

it('lets a phone choose the rows per page as the phone does', async () => {
  beNarrow(true);
  const { location } = await show({}, '/?page=2');
  const size = screen.getByRole('combobox', { name: 'Rows per page' });
  expect(size.tagName).toBe('SELECT');
  fireEvent.change(size, { target: { value: '50' } });
  await waitFor(() => {
    expect(location()).toBe('/?size=50');
  });
  localStorage.clear();
});

it('tells the range, and moves through the pages by the URL', async () => {
  const { location } = await show({}, '/?size=10');
  expect(screen.getByText('Items 1 - 10 of 24')).toBeInTheDocument();
  expect(screen.getByText('/ 3')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Previous page' })).toBeDisabled();
  fireEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await screen.findByText('Items 11 - 20 of 24');
  expect(location()).toBe('/?size=10&page=2');
});

it('selects all rows of a page, and keeps those that are selected on others', async () => {
  const pages = [rows, [{ id: 3, name: 'three' }]];
  function Pages() {
    const [page, setPage] = useState(0);
    const [ids, setIds] = useState<ReadonlySet<string | number>>(new Set());
    return (
      <>
        <button onClick={() => setPage(1 - page)}>Turn</button>
        <p>selected: {[...ids].join(', ')}</p>
        <List rows={pages[page]} selection={{ ids, onChange: setIds }} />
      </>
    );
  }
  await renderScreen({ routes: [{ path: '/', element: <Pages /> }] });
  await screen.findByText('one');
  const turn = () => fireEvent.click(screen.getByText('Turn'));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
  await screen.findByText('selected: 1, 2');
  turn();
  await screen.findByText('three');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
  await screen.findByText('selected: 1, 2, 3');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Unselect all rows' }));
  await screen.findByText('selected: 1, 2');
});

it('goes to the page whose number is typed, and to the last for a number behind it', async () => {
  const { location } = await show({ totalCount: 14_208 }, '/?size=10');
  const page = screen.getByRole('textbox', { name: 'Page' });
  const enter = (text: string) => {
    fireEvent.change(page, { target: { value: text } });
    fireEvent.keyDown(page, { key: 'Enter' });
  };
  enter('700');
  await screen.findByText('Items 6,991 - 7,000 of 14,208');
  expect(location()).toBe('/?size=10&page=700');
  enter('9999');
  await screen.findByText('Items 14,201 - 14,208 of 14,208');
  expect(page).toHaveValue('1421');
  enter('0');
  await waitFor(() => expect(location()).toBe('/?size=10'));
});

it('goes on behind a total that is capped, and says that there are more rows', async () => {
  const ten = Array.from({ length: 10 }, (_, id) => ({ id, name: `row ${id}` }));
  const { location } = await show({ rows: ten, totalCount: 100, totalCapped: true }, '/?size=10&page=10');
  expect(screen.getByText('Items 91 - 100 of 100+')).toBeInTheDocument();
  expect(await screen.findByText('row 9')).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await screen.findByText('Items 101 - 110 of 110+');
  expect(screen.getByText('row 0')).toBeInTheDocument();
  expect(screen.queryByText('No results found.')).toBeNull();
  expect(location()).toBe('/?size=10&page=11');
});

it('stops at the last page behind a capped total', async () => {
  await show({ totalCount: 100, totalCapped: true }, '/?size=10&page=12');
  expect(screen.getByText('Items 111 - 112 of 112+')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Next page' })).toBeDisabled();
});

it('stops at the last page', async () => {
  await show({}, '/?page=3');
  expect(screen.getByText('Items 21 - 24 of 24')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Next page' })).toBeDisabled();
});

it('says what to do when there never was anything', async () => {
  await show({ rows: [], totalCount: 0 });
  expect(screen.getByText('no things yet')).toBeInTheDocument();
  expect(screen.queryByRole('grid')).toBeNull();
});

it('offers to clear filters that match nothing, and keeps its header', async () => {
  const { location } = await show({ rows: [], totalCount: 0 }, '/?keyword=zzz');
  expect(screen.getByText('Nothing matches these filters')).toBeInTheDocument();
  expect(screen.queryByText('no things yet')).toBeNull();
  expect(screen.getByText('No items')).toBeInTheDocument();
  expect(screen.queryByText(/Items 0/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => {
    expect(location()).toBe('/');
  });
});

it('says what failed in place, and tries again', async () => {
  const onRetry = jest.fn();
  await show({ rows: undefined, totalCount: 0, error: new TypeError('Failed to fetch'), onRetry });
  expect(screen.getByRole('alert')).toHaveTextContent('Unable to connect to server');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(onRetry).toHaveBeenCalledTimes(1);
});

it('keeps the old rows while new ones come', async () => {
  beNarrow(true);
  await show({ loading: true });
  expect(screen.getByText('one')).toBeInTheDocument();
  expect(screen.getByRole('progressbar')).toBeInTheDocument();
});

it('keeps the old rows when new ones cannot be read, and says so', async () => {
  session.start({ id: 2, username: 'mira', displayName: '', role: 1, status: 1, group: 'default' });
  await show({
    error: new CombinedGraphQLErrors({
      errors: [{ message: 'The log is being moved', extensions: { code: 'CONFLICT' } }],
    }),
  });
  expect(await screen.findByText('Refresh failed: The log is being moved')).toBeInTheDocument();
  expect(screen.getByText('Items 1 - 10 of 24')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  session.end();
});

it('becomes cards on a narrow screen, which open their row', async () => {
  beNarrow(true);
  const onRowOpen = jest.fn();
  await show({ onRowOpen });
  expect(screen.queryByRole('grid')).toBeNull();
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  fireEvent.click(screen.getByText('two'));
  expect(onRowOpen).toHaveBeenCalledWith(rows[1]);
});

it.each([
  ['the last page', 24, '/?size=10&page=3'],
  ['the first page', 0, '/?size=10'],
])('goes back to %s when the current page has no rows any more', async (_, totalCount, expected) => {
  const { location } = await act(() => show({ rows: [], totalCount }, '/?size=10&page=7'));
  await waitFor(() => {
    expect(location()).toBe(expected);
  });
});

describe('draws a cell once', () => {
  let drawn: string[] = [];
  const counted = [
    {
      field: 'name',
      headerName: 'Name',
      flex: 1,
      renderCell: ({ row }: { row: Row }) => {
        drawn.push(row.name);
        return <b>{row.name}</b>;
      },
    },
  ];
  const next: Row[] = [{ id: 3, name: 'three' }];

  /** Selects rows; the rows of the second page arrive with "Answer". */
  function Living() {
    const [ids, setIds] = useState<ReadonlySet<string | number>>(new Set());
    const [answered, setAnswered] = useState(false);
    const [ticks, setTicks] = useState(0);
    const grid = useServerGrid({ filters: { keyword: '' } });
    return (
      <>
        <button onClick={() => setAnswered(true)}>Answer</button>
        <button onClick={() => setTicks(ticks + 1)}>Tick {ticks}</button>
        <List
          columns={counted}
          rows={answered ? next : rows}
          loading={grid.page === 1 && !answered}
          selection={{ ids, onChange: setIds }}
        />
      </>
    );
  }

  beforeEach(async () => {
    drawn = [];
    await renderScreen({ path: '/?size=10', routes: [{ path: '/', element: <Living /> }] });
    await screen.findByText('two');
    drawn = [];
  });

  it('however many rows are selected', async () => {
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
    await waitFor(() => {
      expect(screen.getAllByRole('checkbox', { name: 'Unselect row' })).toHaveLength(2);
    });
    fireEvent.click(screen.getAllByRole('checkbox', { name: 'Unselect row' })[0] as HTMLElement);
    await screen.findByRole('checkbox', { name: 'Select row' });
    expect(drawn).toEqual([]);
  });

  it('however often the screen around it is drawn again', async () => {
    for (const tick of [0, 1, 2]) fireEvent.click(screen.getByRole('button', { name: `Tick ${String(tick)}` }));
    await screen.findByRole('button', { name: 'Tick 3' });
    expect(drawn).toEqual([]);
  });

  it('and another page when its rows arrive', async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Next page' }));
    await screen.findByText('Items 11 - 20 of 24');
    expect(screen.getByText('two')).toBeInTheDocument();
    expect(drawn).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Answer' }));
    await screen.findByText('three');
    expect(new Set(drawn)).toEqual(new Set(['three']));
  });
});
