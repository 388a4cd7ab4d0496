import { act, fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { InlineNumber } from './InlineNumber.js';

async function open(
  value: number,
  onSave: jest.Mock<Promise<void>, [number]> = jest.fn((_value: number) => Promise.resolve()),
) {
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

it.each(['', 'many', '1.5'])('reverts %j and says why', async (text) => {
  const { enter, onSave, field } = await open(3);
  enter(text);
  expect(onSave).not.toHaveBeenCalled();
  expect(field).toHaveValue('3');
  expect(await screen.findByRole('alert')).toHaveTextContent('Enter a whole number');
});

it('saves what is entered while the value before it is being saved', async () => {
  const done: (() => void)[] = [];
  const onSave = jest.fn((_value: number) => new Promise<void>((resolve) => done.push(resolve)));
  const { enter, field } = await open(3, onSave);
  enter('7');
  enter('8');
  fireEvent.blur(field);
  expect(onSave.mock.calls).toEqual([[7]]);
  await act(async () => done[0]?.());
  expect(onSave.mock.calls).toEqual([[7], [8]]);
  expect(field).toHaveValue('8');
  await act(async () => done[1]?.());
  expect(onSave).toHaveBeenCalledTimes(2);
});
