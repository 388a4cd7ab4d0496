import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { TimeRangeForm } from './TimeRangeForm.js';

it('takes no start in the future without an end, since nothing would be in the range', async () => {
  const onApply = jest.fn();
  const value = { from: new Date(2026, 0, 1), to: null };
  const form = { anchor: document.body, onClose: jest.fn(), value, onApply };
  await renderScreen({ routes: [{ path: '/', element: <TimeRangeForm {...form} /> }] });
  const type = (text: string) =>
    fireEvent.change(screen.getByRole('textbox', { name: 'From' }), { target: { value: text } });
  const apply = () => fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
  type('2999-01-01 00:00');
  apply();
  expect(screen.getByText('Start must be in the past')).toBeInTheDocument();
  expect(onApply).not.toHaveBeenCalled();
  type('2025-01-01 00:00');
  apply();
  expect(onApply).toHaveBeenCalledWith({ from: new Date(2025, 0, 1), to: null });
});
