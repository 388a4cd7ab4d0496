import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { answers } from '../../testing/lists.js';
import { chooseFilter, openFilter } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import {
  LogFacetDocument,
  LogGroupsDocument,
  LogMyGroupsDocument,
  LogTypeFacetDocument,
} from '../../nouns/logs/logs.generated.js';
import { LogFilterBar } from './LogFilterBar.js';
import { noFilters, type LogFilters } from './logFilter.js';

const setFilter = jest.fn();
beforeEach(() => setFilter.mockClear());

function Bar({ isAdmin, initial = noFilters }: { readonly isAdmin: boolean; readonly initial?: LogFilters }) {
  const [filter, set] = useState(initial);
  const filters = {
    filter,
    isFiltered: filter !== noFilters,
    setFilter: (patch: Partial<LogFilters>, how?: { readonly replace: boolean }) => {
      setFilter(patch, how);
      set({ ...filter, ...patch } as LogFilters);
    },
    resetFilter: () => set(noFilters),
  };
  return <LogFilterBar filters={filters} isAdmin={isAdmin} />;
}
const open = (element: React.ReactElement, ...mocks: readonly object[]) =>
  renderScreen({
    routes: [{ path: '/', element }],
    mocks: [
      answers(LogMyGroupsDocument, { myGroups: [] }),
      answers(LogGroupsDocument, { groups: ['default'] }),
      ...mocks,
    ] as never,
  });

it('asks for nothing while the cost is no amount, and says so', async () => {
  await open(<Bar isAdmin={false} />);
  const filter = await openFilter('Cost');
  const cost = filter.getByRole('textbox', { name: /^Cost/ });
  for (const wrong of ['-5', '0,5', '1e3', '> -1']) {
    fireEvent.change(cost, { target: { value: wrong } });
    expect(cost).toHaveAttribute('aria-invalid', 'true');
    expect(filter.getByRole('alert')).toHaveTextContent(/^Enter the cost as/);
    fireEvent.submit(cost);
  }
  expect(setFilter).not.toHaveBeenCalled();
  fireEvent.change(cost, { target: { value: ' > 0.5 ' } });
  expect(cost).toHaveAttribute('aria-invalid', 'false');
  fireEvent.submit(cost);
  expect(setFilter.mock.calls).toEqual([[{ cost: '> 0.5' }, undefined]]);
  await screen.findByRole('button', { name: 'Cost: > 0.5' });
});

/** Longer than the pause after which a search applies. */
const pause = () => act(() => new Promise((resolve) => setTimeout(resolve, 500)));

it.each(['Model name', 'Token name', 'Request ID'])(
  'asks by the whole value of %s once, with Enter or when the field is left',
  async (name) => {
    await open(<Bar isAdmin={false} />);
    const type = async (text: string) => {
      const field = screen.getByRole('textbox', { name });
      for (let length = 1; length <= text.length; length++) {
        fireEvent.change(field, { target: { value: text.slice(0, length) } });
      }
      await pause();
      return field;
    };
    await openFilter(name);
    const field = await type('gpt ');
    expect(setFilter).not.toHaveBeenCalled();
    fireEvent.submit(field);
    const [[patch] = []] = setFilter.mock.calls;
    expect(Object.values(patch as object)).toEqual(['gpt']);
    fireEvent.click(await screen.findByRole('button', { name: `${name}: gpt` }));
    await screen.findByRole('dialog', { name });
    fireEvent.keyDown(await type('gpt-4o'), { key: 'Escape' });
    await screen.findByRole('button', { name: `${name}: gpt-4o` });
    expect(setFilter).toHaveBeenCalledTimes(2);
  },
);

it('applies a search as one types, with one entry of the history', async () => {
  const Search = () => {
    const [filter, set] = useState({ keyword: '' });
    const filters = {
      filter,
      isFiltered: false,
      setFilter: (patch: Partial<typeof filter>, how?: { readonly replace: boolean }) => {
        setFilter(patch, how);
        set({ ...filter, ...patch });
      },
      resetFilter: () => undefined,
    };
    return <FilterBar filters={filters} search={{ label: 'Name' }} fields={[]} />;
  };
  await open(<Search />);
  const field = screen.getByRole('textbox', { name: 'Name' });
  fireEvent.change(field, { target: { value: 'a' } });
  fireEvent.change(field, { target: { value: 'ab ' } });
  expect(setFilter).not.toHaveBeenCalled();
  await waitFor(() => expect(setFilter.mock.calls).toEqual([[{ keyword: 'ab' }, undefined]]));
  expect(field).toHaveValue('ab ');
  fireEvent.change(field, { target: { value: 'ab c' } });
  await waitFor(() => expect(setFilter).toHaveBeenLastCalledWith({ keyword: 'ab c' }, { replace: true }));
});

it('applies the value that was chosen, and not the letters typed just before', async () => {
  signInAs();
  const row = {
    key: { modelName: 'gpt-4o', username: null, channelId: null, channelName: null, tokenName: null, group: null },
  };
  const metrics = { calls: 7, failedCalls: 0 };
  await open(<Bar isAdmin />, answers(LogFacetDocument, { usage: { items: [{ ...row, metrics }] } }));
  const filter = await openFilter('Model name');
  const option = await filter.findByRole('option', { name: /^gpt-4o/ });
  fireEvent.change(filter.getByRole('textbox', { name: 'Model name' }), { target: { value: 'gpt' } });
  fireEvent.click(option);
  await pause();
  expect(setFilter.mock.calls).toEqual([[{ modelName: 'gpt-4o' }, undefined]]);
  await screen.findByRole('button', { name: 'Model name: gpt-4o' });
});

it.each(['alertdialog', 'menu', 'listbox'])(
  'opens the filters by the key F, but not in an element of role %s',
  async (role) => {
    await open(
      <>
        <div role={role}>
          <button>Entry</button>
        </div>
        <Bar isAdmin={false} />
      </>,
    );
    fireEvent.keyDown(screen.getByRole('button', { name: 'Entry' }), { key: 'f' });
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.keyDown(document.body, { key: 'f' });
    await screen.findByRole('dialog', { name: 'Add filter' });
  },
);

it('removes a filter by its cross, and all of them by Reset', async () => {
  await open(<Bar isAdmin initial={{ ...noFilters, username: 'ada', modelName: 'gpt-4o' }} />);
  fireEvent.click(screen.getByRole('button', { name: 'Clear Username' }));
  expect(setFilter).toHaveBeenCalledWith({ username: '' }, undefined);
  screen.getByRole('button', { name: 'Model name: gpt-4o' });
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(screen.queryByRole('button', { name: /gpt-4o/ })).toBeNull();
});

it('counts the values of a field within the other filters, once it is opened', async () => {
  signInAs();
  const asked = jest.fn();
  const row = (modelName: string, calls: number) => ({
    key: { modelName, username: null, channelId: null, channelName: null, tokenName: null, group: null },
    metrics: { calls, failedCalls: 1 },
  });
  const facet = {
    request: { query: LogFacetDocument, variables: (variables: object) => Boolean(asked(variables)) || true },
    result: { data: { usage: { items: [row('gpt-4o', 12_345), row('o3', 7)] } } },
  };
  await open(<Bar isAdmin initial={{ ...noFilters, username: 'ada', modelName: 'x' }} />, facet);
  expect(asked).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Model name: x' }));
  fireEvent.click(await screen.findByRole('option', { name: /^gpt-4o\s*12.3k$/ }));
  expect(asked.mock.calls).toMatchObject([[{ by: 'MODEL', filter: { usernames: ['ada'] } }]]);
  await screen.findByRole('button', { name: 'Model name: gpt-4o' });
});

it('counts the rows of each type', async () => {
  signInAs();
  const counts = Object.fromEntries(
    ['CONSUME', 'ERROR', 'TOP_UP', 'MANAGE', 'SYSTEM', 'CHECK_IN', 'TEST'].map((type, index) => [
      type,
      { totalCount: index, totalCapped: type === 'TEST' },
    ]),
  );
  await open(<Bar isAdmin />, answers(LogTypeFacetDocument, counts));
  const filter = await openFilter('Type');
  await filter.findByRole('option', { name: /^Error\s*1$/ });
  filter.getByRole('option', { name: /^Test\s*6\+$/ });
  fireEvent.keyDown(filter.getByRole('listbox'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  await chooseFilter('Type', /^Error/);
  expect(setFilter).toHaveBeenCalledWith({ type: 'ERROR' }, undefined);
});
