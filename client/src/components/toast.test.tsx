import Dialog from '@mui/material/Dialog';
import { act, screen } from '@testing-library/react';
import { renderScreen } from '../testing/renderScreen.js';
import { toast } from './toast.js';

it('announces a toast while a dialog hides the rest of the page from screen readers', async () => {
  const element = (
    <>
      <h1>page</h1>
      <Dialog open>dialog</Dialog>
    </>
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  act(() => {
    toast.error('The channel is gone');
    toast.error('The channel is gone');
  });
  expect(await screen.findByRole('alert')).toHaveTextContent('The channel is gone');
  expect(screen.queryByRole('heading', { name: 'page' })).toBeNull();
});
