import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { renderScreen } from '../../testing/renderScreen.js';
import { Ranking } from './Ranking.js';

const format = (value: number): string => `${value} units`;
const show = (element: React.ReactElement) => renderScreen({ routes: [{ path: '/', element }] });

it('tells each one’s share of everything, although only the first are listed', async () => {
  const rows = Array.from({ length: 8 }, (_, id) => ({ name: `user ${id}`, value: 250_000, color: 'red' }));
  await show(<Ranking total={10_000_000} rows={rows} format={format} />);
  expect(screen.getAllByText('250000 units')).toHaveLength(8);
  expect(screen.getAllByText('3%')).toHaveLength(8);
});

it('says more about who has more to say', async () => {
  const rows = [
    { name: 'router', value: 10, color: 'red', note: 'Margin $0.20 (40%)' },
    { name: 'other', value: 5, color: 'red' },
  ];
  await show(<Ranking total={15} rows={rows} format={format} />);
  expect(screen.getAllByText(/Margin/).map((line) => line.textContent)).toEqual(['Margin $0.20 (40%)']);
});

it('says that nothing was used', async () => {
  await show(<Ranking total={0} rows={[]} format={format} />);
  expect(screen.getByText('No usage in this range')).toBeInTheDocument();
});

it('has no share of values that do not add up, and a dash and no bar where there is no value', async () => {
  const rows = [null, 40, -5, 80].map((value, id) => ({ name: `channel ${id}`, value, color: 'red' }));
  await show(<Ranking total={null} rows={rows} format={format} />);
  expect(screen.getByText('–')).toBeInTheDocument();
  expect(screen.queryByText(/%/)).toBeNull();
  const bars = document.querySelectorAll<HTMLElement>('[aria-hidden] > div');
  const widths = [...bars].map(({ style }) => style.width);
  expect(widths).toEqual(['0%', '50%', '0%', '100%']);
});

it('lists channels of the same name apart, and only those of the range', async () => {
  const twins = [1, 2].map(() => ({ name: 'OpenAI', value: 5, color: 'red' }));
  function Ranges() {
    const [rows, setRows] = useState(twins);
    const next = () => setRows([{ name: 'Azure', value: 5, color: 'red' }]);
    return (
      <>
        <Ranking total={10} rows={rows} format={format} />
        <button onClick={next}>next range</button>
      </>
    );
  }
  await show(<Ranges />);
  expect(screen.getAllByText('OpenAI')).toHaveLength(2);
  fireEvent.click(screen.getByText('next range'));
  screen.getByText('Azure');
  expect(screen.queryByText('OpenAI')).toBeNull();
});
