import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { renderScreen } from '../../testing/renderScreen.js';
import { WeChatDialog } from './WeChatDialog.js';

it('keeps the code of the next opening when an earlier one is refused', async () => {
  let refuse = (_problem: string): void => undefined;
  const onCode = () => new Promise<string>((resolve) => (refuse = resolve));
  const Page = () => {
    const [open, setOpen] = useState(true);
    return (
      <>
        <button onClick={() => setOpen(true)}>Open</button>
        <WeChatDialog title="Bind" submitLabel="Bind" open={open} onCode={onCode} onClose={() => setOpen(false)} />
      </>
    );
  };
  await renderScreen({ routes: [{ path: '/', element: <Page /> }] });
  fireEvent.change(screen.getByRole('textbox'), { target: { value: '111' } });
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Bind' })));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  fireEvent.click(screen.getByText('Open'));
  expect(screen.getByRole('textbox')).toHaveValue('');
  fireEvent.change(screen.getByRole('textbox'), { target: { value: '222' } });
  await act(async () => refuse('The code is wrong'));
  expect(screen.getByRole('textbox')).toHaveValue('222');
  expect(screen.getByRole('textbox')).toBeValid();
  expect(await screen.findByText('The code is wrong')).toBeInTheDocument();
});
