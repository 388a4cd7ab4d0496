import { createStore, useStore } from './store.js';

/** The second step of a sign-in, on the sign-in page. */
export const secondFactorPath = '/login?step=second-factor';

/** Requests that wait until the user has shown the second factor. */
interface Waiting {
  readonly settle: (confirmed: boolean) => void;
}

const waiting = createStore<readonly Waiting[]>([]);
const enrolment = createStore(false);

/** Asks the user for the second factor. One dialog serves all requests that wait. @returns whether it was shown */
export const askConfirmation = (): Promise<boolean> =>
  new Promise((settle) => {
    waiting.set([...waiting.get(), { settle }]);
  });

/** Ends the wait of all requests. */
export function settleConfirmation(confirmed: boolean): void {
  const all = waiting.get();
  waiting.set([]);
  for (const { settle } of all) settle(confirmed);
}

export const useConfirmationAsked = (): boolean => useStore(waiting).length > 0;

/** Requests an enrolment: the server refuses every request until the user has set up a second factor. */
export const requireEnrolment = (): void => enrolment.set(true);
export const useEnrolmentRequired = (): boolean => useStore(enrolment);
