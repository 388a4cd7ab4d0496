import { screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { TopList } from './TopList.js';

const show = (whole: number, values: readonly number[]) =>
  renderScreen({
    routes: [
      {
        path: '/',
        element: (
          <TopList
            title="Top users"
            whole={whole}
            rows={values.map((value, index) => ({ name: `user ${String(index)}`, value, color: 'red' }))}
          />
        ),
      },
    ],
  });

it('tells each one’s share of everything, although only the first are listed', async () => {
  await show(
    10_000_000,
    Array.from({ length: 20 }, () => 250_000),
  );
  expect(screen.getAllByText('$0.50')).toHaveLength(8);
  expect(screen.getAllByText('3%')).toHaveLength(8);
});

it('says more about who has more to say', async () => {
  const rows = [
    { name: 'router', value: 10, color: 'red', note: 'Margin $0.20 (40%)' },
    { name: 'other', value: 5, color: 'red' },
  ];
  await renderScreen({ routes: [{ path: '/', element: <TopList title="Top channels" whole={15} rows={rows} /> }] });
  expect(screen.getAllByText(/Margin/).map((line) => line.textContent)).toEqual(['Margin $0.20 (40%)']);
});

it('says that nothing was used', async () => {
  await show(0, []);
  expect(screen.getByText('No usage in this range')).toBeInTheDocument();
});
