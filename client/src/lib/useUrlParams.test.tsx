import { act, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { useRowParam } from './useRowParam.js';
import { useServerGrid, type ServerGrid } from './useServerGrid.js';

let grid: ServerGrid<{ keyword: string }>;
let openRow: (row: string | null) => void;

function List() {
  grid = useServerGrid({ filters: { keyword: '' } });
  const [row, setRow] = useRowParam('row');
  openRow = setRow;
  return <p>{row}</p>;
}

function start(path: string) {
  const router = createMemoryRouter([{ path: '/list', element: <List /> }], { initialEntries: [path] });
  render(<RouterProvider router={router} />);
  return router;
}

it('keeps what was chosen before the screen was drawn again', () => {
  const router = start('/list?tab=1');
  // The handlers of the first render are used, as by a click during a slow render.
  const drawn = grid;
  const openDrawnRow = openRow;
  act(() => {
    drawn.setFilter({ keyword: 'azure' });
    drawn.setSort({ field: 'id', direction: 'ASC' });
    openDrawnRow('7');
  });
  expect(router.state.location.search).toBe('?tab=1&keyword=azure&sort=id%3Aasc&row=7');
  expect(grid.filter.keyword).toBe('azure');
  expect(screen.getByText('7')).toBeInTheDocument();
});

it('takes back what is taken back in between', () => {
  const router = start('/list?page=3&keyword=azure');
  const drawn = grid;
  act(() => {
    drawn.resetFilter();
    drawn.setPage(4);
  });
  expect(router.state.location.search).toBe('?page=5');
});

it('keeps the object of the filters from page to page', () => {
  start('/list?keyword=azure');
  const { filters } = grid;
  act(() => grid.setPage(2));
  expect(grid.page).toBe(2);
  expect(grid.filters).toBe(filters);
  act(() => grid.setFilter({ keyword: 'openai' }));
  expect(grid.filters).not.toBe(filters);
});
