import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { InlineNumber } from './InlineNumber.js';

async function open(value: number, onSave = jest.fn(() => Promise.resolve())) {
  const element = <InlineNumber value={value} label="Priority" minimum={0} onSave={onSave} />;
  await renderScreen({ routes: [{ path: '/', element }] });
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
])('saves %s as %d', async (text, expected) => {
  const { enter, onSave, field } = await open(3);
  enter(text);
  expect(onSave.mock.calls).toEqual([[expected]]);
  expect(field).toHaveValue(String(expected));
});

it.each(['', 'many', '1.5'])('reverts %j', async (text) => {
  const { enter, onSave, field } = await open(3);
  enter(text);
  expect(onSave).not.toHaveBeenCalled();
  expect(field).toHaveValue('3');
});
