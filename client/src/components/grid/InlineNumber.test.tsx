import { fireEvent, render, screen } from '@testing-library/react';
import { InlineNumber } from './InlineNumber.js';

function open(value: number | null, onSave = jest.fn(() => Promise.resolve())) {
  render(<InlineNumber value={value} label="Priority" minimum={0} onSave={onSave} />);
  const field = screen.getByRole('textbox', { name: 'Priority' });
  return {
    onSave,
    field,
    enter: (text: string) => {
      fireEvent.change(field, { target: { value: text } });
      fireEvent.keyDown(field, { key: 'Enter' });
    },
  };
}

it.each([
  ['7', 7],
  ['-5', 0],
  ['2000000000', 1_000_000_000],
])('saves %s as %d', (text, expected) => {
  const { enter, onSave, field } = open(3);
  enter(text);
  expect(onSave.mock.calls).toEqual([[expected]]);
  expect(field).toHaveValue(String(expected));
});

it.each(['', 'many', '1.5'])('reverts %j', (text) => {
  const { enter, onSave, field } = open(3);
  enter(text);
  expect(onSave).not.toHaveBeenCalled();
  expect(field).toHaveValue('3');
});
