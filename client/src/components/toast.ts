import type { TFunction } from 'i18next';
import { describeFailure, toFailure } from '../lib/errors.js';
import { session } from '../lib/session.js';
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
  /**
   * Shows why an action failed. An action that ended the session shows nothing, because the sign-in page then gives the
   * reason.
   * @param word builds the message from the reason; default: the reason
   */
  failure: (error: unknown, t: TFunction, word = (reason: string): string => reason): void => {
    if (toFailure(error).code === 'NOT_SIGNED_IN' && session.get() === null) return;
    send({ text: word(describeFailure(error, t)), failed: true });
  },
};
