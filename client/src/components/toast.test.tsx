import { CombinedGraphQLErrors } from '@apollo/client/errors';
import Dialog from '@mui/material/Dialog';
import { act, screen } from '@testing-library/react';
import type { TFunction } from 'i18next';
import { session } from '../lib/session.js';
import { renderScreen } from '../testing/renderScreen.js';
import { signInAs } from '../testing/signInAs.js';
import { readingTime } from './Toasts.js';
import { messages, toast } from './toast.js';

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

it('leaves an action that ended the session to the sign-in page, which gives the reason', () => {
  const t = ((key: string) => key) as TFunction;
  const refused = (code: string) =>
    new CombinedGraphQLErrors({ errors: [{ message: `No permission: ${code}`, extensions: { code } }] });
  signInAs();
  messages.set([]);
  session.end('expired');
  toast.failure(refused('NOT_SIGNED_IN'), t);
  expect(messages.get()).toEqual([]);
  toast.failure(refused('USER_BANNED'), t, (reason) => `Not saved: ${reason}`);
  expect(messages.get()).toEqual([{ text: 'Not saved: No permission: USER_BANNED', failed: true }]);
  messages.set([]);
});
