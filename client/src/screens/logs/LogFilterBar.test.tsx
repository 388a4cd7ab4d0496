import { fireEvent, screen } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { LogFilterBar } from './LogFilterBar.js';
import { noFilters } from './logFilter.js';
import { LogMyGroupsDocument } from '../../nouns/logs/logs.generated.js';

it('asks for nothing while the cost is no amount, and says so', async () => {
  const filters = { filter: noFilters, isFiltered: false, setFilter: jest.fn(), resetFilter: jest.fn() };
  const onQuery = jest.fn();
  const element = <LogFilterBar filters={filters} isAdmin={false} onQuery={onQuery} />;
  await renderScreen({
    routes: [{ path: '/', element }],
    mocks: [answers(LogMyGroupsDocument, { myGroups: [] })] as never,
  });
  const cost = screen.getByRole('textbox', { name: /^Cost/ });
  const query = screen.getByRole('button', { name: 'Query' });
  for (const wrong of ['-5', '0,5', '1e3', '> -1']) {
    fireEvent.change(cost, { target: { value: wrong } });
    expect(cost).toHaveAttribute('aria-invalid', 'true');
    fireEvent.click(query);
  }
  expect(await screen.findAllByText(/Enter the cost as/)).not.toHaveLength(0);
  expect(filters.setFilter).not.toHaveBeenCalled();
  expect(onQuery).not.toHaveBeenCalled();
  fireEvent.change(cost, { target: { value: ' > 0.5 ' } });
  expect(cost).toHaveAttribute('aria-invalid', 'false');
  fireEvent.click(query);
  expect(filters.setFilter).toHaveBeenCalledWith({ ...noFilters, cost: '> 0.5' });
  expect(onQuery).toHaveBeenCalledTimes(1);
});
