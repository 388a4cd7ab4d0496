import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useForm } from 'react-hook-form';
import { renderScreen } from '../../testing/renderScreen.js';
import { FormDialog } from '../FormDialog.js';
import { ChipsInput } from './ChipsInput.js';
import { EditorDrawer } from './EditorDrawer.js';
import { TextInput } from './inputs.js';

interface Values {
  readonly name: string;
  readonly models: string[];
}

const closed = jest.fn();

function Editor({
  onSave,
  below,
}: {
  readonly onSave: (values: Values) => Promise<unknown>;
  readonly below?: boolean;
}) {
  const form = useForm<Values>({ defaultValues: { name: '', models: [] } });
  const inner = useForm({ defaultValues: { amount: '' } });
  return (
    <EditorDrawer form={form} width={480} title="Editor" saveLabel="Save thing" onSave={onSave} onClosed={closed}>
      <TextInput control={form.control} name="name" label="Name" />
      <ChipsInput control={form.control} name="models" label="Models" options={[]} free />
      {below && (
        <FormDialog form={inner} title="Inner" submitLabel="Add" errorField="amount" onSubmit={closed} onClose={closed}>
          <TextInput control={inner.control} name="amount" label="Amount" />
        </FormDialog>
      )}
    </EditorDrawer>
  );
}

async function open(onSave: (values: Values) => Promise<unknown>, below = false) {
  closed.mockReset();
  await renderScreen({ routes: [{ path: '/', element: <Editor onSave={onSave} below={below} /> }] });
  return screen.getByRole('button', { name: 'Save thing', hidden: true });
}

const type = (label: string, value: string) => {
  const field = screen.getByLabelText(label);
  act(() => field.focus());
  fireEvent.change(field, { target: { value } });
};

/** Presses Ctrl+S where the focus is. */
const press = async () =>
  act(async () => {
    const { activeElement } = document;
    activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
  });

it('saves once, however often the keys are pressed while it saves', async () => {
  let finish = (): void => undefined;
  const onSave = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  await open(onSave);
  type('Name', 'one');
  await press();
  await press();
  expect(onSave).toHaveBeenCalledTimes(1);
  await act(async () => finish());
});

it('saves nothing more while it closes', async () => {
  const onSave = jest.fn(() => Promise.resolve());
  const save = await open(onSave);
  type('Name', 'one');
  fireEvent.click(save);
  await waitFor(() => expect(onSave).toHaveBeenCalledTimes(1));
  await act(async () => fireEvent.click(save));
  await press();
  expect(onSave).toHaveBeenCalledTimes(1);
});

it('saves again after an error', async () => {
  const onSave = jest.fn().mockRejectedValueOnce(new Error('no')).mockResolvedValue(undefined);
  await open(onSave);
  type('Name', 'one');
  await press();
  await waitFor(() => expect(onSave).toHaveBeenCalledTimes(1));
  await press();
  await waitFor(() => expect(onSave).toHaveBeenCalledTimes(2));
});

it('saves a value that is still being typed when the keys are pressed', async () => {
  const onSave = jest.fn(() => Promise.resolve());
  await open(onSave);
  type('Models', 'gpt-5');
  await press();
  await waitFor(() => expect(onSave).toHaveBeenCalledWith({ name: '', models: ['gpt-5'] }));
});

it('leaves the keys alone while a dialog stands before it', async () => {
  const onSave = jest.fn(() => Promise.resolve());
  await open(onSave, true);
  type('Amount', '5');
  await press();
  expect(onSave).not.toHaveBeenCalled();
  expect(screen.getByLabelText('Amount')).toHaveValue('5');
});
