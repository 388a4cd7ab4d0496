import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { renderScreen } from '../testing/renderScreen.js';
import { FormDialog } from './FormDialog.js';
import { TextInput } from './form/inputs.js';

function Asked({ onSubmit }: { readonly onSubmit: () => Promise<void> }) {
  const [isOpen, setOpen] = useState(true);
  return isOpen ? <Amount onSubmit={onSubmit} onClose={() => setOpen(false)} /> : null;
}

function Amount(parts: { readonly onSubmit: () => Promise<void>; readonly onClose: () => void }) {
  const form = useForm({ defaultValues: { amount: '5' } });
  return (
    <FormDialog form={form} title="Grant" submitLabel="Add" errorField="amount" {...parts}>
      <TextInput control={form.control} name="amount" label="Amount" />
    </FormDialog>
  );
}

it('reports an error that comes after it was closed', async () => {
  let refuse = (_reason: Error): void => undefined;
  const onSubmit = () => new Promise<void>((_, reject) => (refuse = reject));
  await renderScreen({ routes: [{ path: '/', element: <Asked onSubmit={onSubmit} /> }] });
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Add' })));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await act(async () => refuse(new TypeError('no')));
  expect(await screen.findByText('Unable to connect to server')).toBeInTheDocument();
});
