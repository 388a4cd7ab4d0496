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

it('leaves the next opening alone when a slow submit ends', async () => {
  let finish = (): void => undefined;
  const onSubmit = () => new Promise<void>((resolve) => (finish = resolve));
  const Page = () => {
    const [opened, setOpened] = useState<string | null>(null);
    return (
      <>
        <button onClick={() => setOpened('first')}>Open first</button>
        <button onClick={() => setOpened('second')}>Open second</button>
        {opened !== null && <Amount key={opened} onSubmit={onSubmit} onClose={() => setOpened(null)} />}
      </>
    );
  };
  await renderScreen({ routes: [{ path: '/', element: <Page /> }] });
  fireEvent.click(screen.getByText('Open first'));
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Add' })));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  fireEvent.click(screen.getByText('Open second'));
  await act(async () => finish());
  expect(screen.getByRole('dialog', { name: 'Grant' })).toBeInTheDocument();
});

it('does not submit after it was closed', async () => {
  const onSubmit = jest.fn(() => Promise.resolve());
  await renderScreen({ routes: [{ path: '/', element: <Asked onSubmit={onSubmit} /> }] });
  await act(async () => {
    // The form validates its fields after the event.
    fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  });
  expect(onSubmit).not.toHaveBeenCalled();
});

it('submits once, however often the button is pressed', async () => {
  let finish = (): void => undefined;
  const onSubmit = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  await renderScreen({ routes: [{ path: '/', element: <Asked onSubmit={onSubmit} /> }] });
  await act(async () => {
    const form = screen.getByRole('button', { name: 'Add' }).closest('form') as HTMLFormElement;
    fireEvent.submit(form);
    fireEvent.submit(form);
  });
  expect(onSubmit).toHaveBeenCalledTimes(1);
  await act(async () => finish());
});
