import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { DateTimeInput } from './DateTimeInput.js';

const values: string[] = [];

function Held() {
  const [value, setValue] = useState('2026-11-21T06:44');
  return (
    <DateTimeInput
      value={value}
      onChange={(next) => {
        values.push(next);
        setValue(next);
      }}
      inputProps={{ 'aria-label': 'Time' }}
    />
  );
}

it('is written as everywhere in the console, and keeps what is typed until it is complete', () => {
  render(<Held />);
  const field = screen.getByRole('textbox', { name: 'Time' });
  expect(field).toHaveValue('2026-11-21 06:44');
  fireEvent.change(field, { target: { value: '2026-11-2' } });
  expect(field).toHaveValue('2026-11-2');
  fireEvent.change(field, { target: { value: '2026-11-22 13:05' } });
  expect(field).toHaveValue('2026-11-22 13:05');
  expect(values).toEqual(['2026-11-2', '2026-11-22T13:05']);
});

it('opens the calendar of the browser, which fills it in', () => {
  render(<Held />);
  const native = document.querySelector<HTMLInputElement>('input[type=datetime-local]');
  if (!native) throw new Error('no calendar');
  expect(native).toHaveValue('2026-11-21T06:44');
  const open = jest.fn();
  native.showPicker = open;
  fireEvent.click(screen.getByRole('button'));
  expect(open).toHaveBeenCalledTimes(1);
  fireEvent.change(native, { target: { value: '2027-01-02T03:04' } });
  expect(screen.getByRole('textbox', { name: 'Time' })).toHaveValue('2027-01-02 03:04');
});

it('gives the calendar no day that does not exist, of which the browser would warn', () => {
  render(<Held />);
  const native = document.querySelector<HTMLInputElement>('input[type=datetime-local]');
  const given = jest.fn();
  if (!native) throw new Error('no calendar');
  Object.defineProperty(native, 'value', { configurable: true, get: () => '', set: given });
  fireEvent.change(screen.getByRole('textbox', { name: 'Time' }), { target: { value: '2027-02-30 10:00' } });
  expect(given).not.toHaveBeenCalledWith('2027-02-30T10:00');
});
