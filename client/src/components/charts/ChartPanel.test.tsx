import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { ChartPanel } from './ChartPanel.js';

it('has a dash in its table where there is no value, and no 0', async () => {
  const series = [{ name: 'router', color: 'red', values: [40, null, 0] }];
  const element = (
    <ChartPanel
      title="95th percentile"
      name="95th percentile"
      series={series}
      labels={['11-18', '11-19', '11-20']}
      format={(value) => `${value} ms`}
      minHeight={240}
      kind="line"
    />
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  fireEvent.click(screen.getByRole('button', { name: 'More actions for 95th percentile' }));
  fireEvent.click(await screen.findByText('View as table'));
  const cells = await screen.findAllByRole('cell');
  expect(cells.map(({ textContent }) => textContent)).toEqual(['40 ms', '–', '0 ms']);
});
