import Dialog from '@mui/material/Dialog';
import { act, screen } from '@testing-library/react';
import { renderScreen } from '../testing/renderScreen.js';
import { readingTime } from './Toasts.js';
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

it('keeps each message long enough to be read, and errors longer', () => {
  // At 15 letters a second, and two seconds until it is noticed.
  const secondsToRead = (text: string) => 2 + text.length / 15;
  for (const text of ['Saved', 'Account created, please sign in', 'A longer message. '.repeat(9)]) {
    expect(readingTime(text, false) / 1000).toBeGreaterThanOrEqual(Math.max(5, secondsToRead(text)));
    expect(readingTime(text, true) / 1000).toBeGreaterThanOrEqual(8);
    expect(readingTime(text, true)).toBeGreaterThanOrEqual(readingTime(text, false));
  }
});

it('leaves only after five seconds', async () => {
  await renderScreen({ routes: [{ path: '/', element: <h1>page</h1> }] });
  jest.useFakeTimers();
  try {
    act(() => toast.success('Account created, please sign in'));
    act(() => jest.advanceTimersByTime(4900));
    const message = screen.getByRole('status');
    expect(message).toHaveTextContent('Account created, please sign in');
    // It moves out of the window when it leaves.
    expect(message.style.transform).not.toMatch(/translate/);
    act(() => jest.advanceTimersByTime(1000));
    expect(message.style.transform).toMatch(/translate/);
  } finally {
    jest.useRealTimers();
  }
});
