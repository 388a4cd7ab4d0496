import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { useServerGrid } from './useServerGrid.js';

const filters = { keyword: '', status: '1' };
const sorts = ['id', 'usedQuota'];

function render(path: string) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={[path]}>{children}</MemoryRouter>
  );
  return renderHook(() => ({ grid: useServerGrid({ filters, sorts }), search: useLocation().search }), { wrapper })
    .result;
}

beforeEach(() => {
  localStorage.clear();
});

it('starts on the first page of ten, unsorted and unfiltered', () => {
  const { grid, search } = render('/list').current;
  expect(grid.pageVariables).toEqual({ page: 0, pageSize: 10 });
  expect(grid.isFiltered).toBe(false);
  expect(search).toBe('');
});

it('reads everything from a shared link', () => {
  const { grid } = render('/list?page=3&size=50&sort=usedQuota:asc&keyword=azure').current;
  expect(grid.pageVariables).toEqual({ page: 2, pageSize: 50, sort: { field: 'usedQuota', direction: 'ASC' } });
  expect(grid.filter).toEqual({ keyword: 'azure', status: '1' });
  expect(grid.isFiltered).toBe(true);
});

it.each([
  'page=-2',
  'page=abc',
  'page=99999999999',
  'size=7',
  'size=1000',
  'sort=id',
  'sort=id:up;drop',
  'sort=balance:asc',
])('shrugs at %s', (query) => {
  expect(render(`/list?${query}`).current.grid.pageVariables).toEqual({ page: 0, pageSize: 10 });
});

it('writes what is chosen into the URL, and the default not', () => {
  const result = render('/list?row=5');
  act(() => {
    result.current.grid.setPage(2);
  });
  expect(result.current.search).toBe('?row=5&page=3');
  act(() => {
    result.current.grid.setSort({ field: 'id', direction: 'DESC' });
  });
  expect(result.current.search).toBe('?row=5&sort=id%3Adesc');
  act(() => {
    result.current.grid.setFilter({ keyword: 'a', status: '1' });
  });
  expect(result.current.search).toBe('?row=5&sort=id%3Adesc&keyword=a');
  act(() => {
    result.current.grid.resetFilter();
  });
  expect(result.current.search).toBe('?row=5&sort=id%3Adesc');
});

it('goes back to the first page whenever the rows change', () => {
  const result = render('/list?page=4');
  act(() => {
    result.current.grid.setFilter({ keyword: 'x' });
  });
  expect(result.current.grid.page).toBe(0);
});

it('remembers the page size for the next list', () => {
  const first = render('/channels');
  act(() => {
    first.current.grid.setPageSize(50);
  });
  expect(localStorage.getItem('page-size')).toBe('50');
  expect(render('/tokens').current.grid.pageSize).toBe(50);
});

it('does not believe a page size somebody else stored', () => {
  localStorage.setItem('page-size', '5000');
  expect(render('/list').current.grid.pageSize).toBe(10);
});

it('ignores a filter in the URL that does not match its pattern', () => {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={['/list?channelId=OpenAI&other=5']}>{children}</MemoryRouter>
  );
  const options = { filters: { channelId: '', other: '' }, patterns: { channelId: /^\d+$/, other: /^\d+$/ } };
  const { grid } = renderHook(() => ({ grid: useServerGrid(options) }), { wrapper }).result.current;
  expect(grid.filter).toEqual({ channelId: '', other: '5' });
});
