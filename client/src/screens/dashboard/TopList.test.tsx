import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
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
            rows={values.map((value, id) => ({ id, name: `user ${String(id)}`, value, color: 'red' }))}
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
    { id: 1, name: 'router', value: 10, color: 'red', note: 'Margin $0.20 (40%)' },
    { id: 2, name: 'other', value: 5, color: 'red' },
  ];
  await renderScreen({ routes: [{ path: '/', element: <TopList title="Top channels" whole={15} rows={rows} /> }] });
  expect(screen.getAllByText(/Margin/).map((line) => line.textContent)).toEqual(['Margin $0.20 (40%)']);
});

it('says that nothing was used', async () => {
  await show(0, []);
  expect(screen.getByText('No usage in this range')).toBeInTheDocument();
});

it('lists channels of the same name apart, and only those of the range', async () => {
  const twins = [1, 2].map((id) => ({ id, name: 'OpenAI', value: 5, color: 'red' }));
  function Ranges() {
    const [rows, setRows] = useState(twins);
    const next = () => setRows([{ id: 3, name: 'Azure', value: 5, color: 'red' }]);
    return (
      <>
        <TopList title="Top channels" whole={10} rows={rows} />
        <button onClick={next}>next range</button>
      </>
    );
  }
  await renderScreen({ routes: [{ path: '/', element: <Ranges /> }] });
  expect(screen.getAllByText('OpenAI')).toHaveLength(2);
  fireEvent.click(screen.getByText('next range'));
  screen.getByText('Azure');
  expect(screen.queryByText('OpenAI')).toBeNull();
});
