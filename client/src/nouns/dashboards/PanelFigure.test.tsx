import { fireEvent, screen, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { PanelFigure } from './PanelFigure.js';

const column = (path: string, kind: 'TIME' | 'TEXT' | 'NUMBER' | 'BOOLEAN') => ({ path, field: path, kind });
const columns = [
  column('time', 'TIME'),
  column('key.isOthers', 'BOOLEAN'),
  column('key.modelName', 'TEXT'),
  column('metrics.calls', 'NUMBER'),
];
const time = '2025-11-20T00:00:00Z';
const rowOf = (modelName: string | null, calls: number) => ({
  time,
  key: { isOthers: modelName === null, modelName },
  metrics: { calls },
});
const names = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'];
const open = (rows: readonly object[]) =>
  renderScreen({
    routes: [
      {
        path: '/',
        element: (
          <PanelFigure
            title="Calls by model"
            kind="BAR"
            size="WIDE"
            rows={rows}
            columns={columns}
            values={{ of: null, columns: [] }}
          />
        ),
      },
    ],
  });

it('shows five groups and everything else, which a click breaks up', async () => {
  await open([...names.map((name, index) => rowOf(name, 100 - index)), rowOf(null, 40)]);
  screen.getByRole('figure', { name: 'Calls by model, total 719' });
  for (const name of names.slice(0, 5)) expect(screen.getByText(name)).toBeInTheDocument();
  expect(screen.queryByText('m6')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Other' }));
  // 95 and 94 of the sixth and seventh model, and 40 of those without a name.
  const parts = within(screen.getByRole('region', { name: 'Calls by model · Other' }));
  parts.getByRole('figure', { name: 'Calls by model · Other, total 229' });
  for (const name of ['m6', 'm7', 'Other']) expect(parts.getByText(name)).toBeInTheDocument();
  expect(parts.queryByText('m1')).toBeNull();
  fireEvent.click(parts.getByRole('button', { name: 'Show all' }));
  expect(screen.getByText('m1')).toBeInTheDocument();
});

it('offers to break "Other" up only when it has groups with a name', async () => {
  await open([...names.slice(0, 5).map((name) => rowOf(name, 9)), rowOf(null, 40)]);
  expect(screen.getByText('Other')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Other' })).toBeNull();
});
