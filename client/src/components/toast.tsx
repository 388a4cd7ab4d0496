import { useRef } from 'react';
import { createStore, useStore } from '../lib/store.js';
import { later } from './later.js';

export interface Message {
  readonly text: string;
  readonly failed: boolean;
}

/** What was said and does not stand on the page yet. */
const said = createStore<readonly Message[]>([]);

/** Short messages at the bottom. The same text does not stand twice. */
export const toast = {
  success: (text: string): void => {
    said.set([...said.get(), { text, failed: false }]);
  },
  error: (text: string): void => {
    said.set([...said.get(), { text, failed: true }]);
  },
};

const stack = later(async () => (await import('./ToastStack.js')).ToastStack);

/** For a page on which something will be said sooner or later. */
export const preloadToasts = stack.preload;

function takeSaid(): readonly Message[] {
  const messages = said.get();
  if (messages.length > 0) said.set([]);
  return messages;
}

/** The place of the toasts. It is fetched with the first of them and stays from then on. */
export function ToastProvider() {
  const waiting = useStore(said);
  const needed = useRef(false);
  needed.current ||= waiting.length > 0;
  return needed.current ? <stack.Part waiting={waiting} take={takeSaid} /> : null;
}
