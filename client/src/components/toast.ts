import { createStore } from '../lib/store.js';

interface Message {
  readonly text: string;
  readonly failed: boolean;
}

/** Messages that are not shown yet. */
export const messages = createStore<readonly Message[]>([]);

const send = (message: Message): void => messages.set([...messages.get(), message]);

/** Short messages at the bottom of the page. Identical messages are shown once at a time. */
export const toast = {
  success: (text: string): void => send({ text, failed: false }),
  error: (text: string): void => send({ text, failed: true }),
};
