import { session } from './session.js';
import { readJson, writeJson } from './storage.js';
import { createStore, useStore } from './store.js';
import { browserZone, isKnownZone, type Zone } from './zone.js';

/** How the signed-in user wants to see amounts and times. Saved with the account; the browser keeps a copy. */
export interface ReaderChoices {
  /** The currency. Null for the site's currency. */
  readonly currency: 'USD' | 'LOCAL' | null;
  /** IANA name. Null: the browser's zone. */
  readonly timeZone: string | null;
}

interface StoredChoices extends ReaderChoices {
  readonly userId: number;
}

const storageKey = 'reader';
const none: ReaderChoices = { currency: null, timeZone: null };

function fromStorage(): StoredChoices | null {
  const stored = readJson(storageKey);
  if (typeof stored !== 'object' || stored === null) return null;
  const { userId, currency, timeZone } = stored as Partial<StoredChoices>;
  if (typeof userId !== 'number') return null;
  return {
    userId,
    currency: currency === 'USD' || currency === 'LOCAL' ? currency : null,
    timeZone: typeof timeZone === 'string' && isKnownZone(timeZone) ? timeZone : null,
  };
}

const store = createStore<StoredChoices | null>(fromStorage());

// A choice in one tab applies to the others.
addEventListener('storage', (event) => {
  if (event.key === storageKey || event.key === null) store.set(fromStorage());
});

/** The choices belong to one user. After sign-out, and for the next user, there are none. */
const of = (choices: StoredChoices | null, userId: number | undefined): ReaderChoices =>
  choices?.userId === userId && choices ? choices : none;

export const reader = {
  get: (): ReaderChoices => of(store.get(), session.get()?.id),
  /** Applies the choices of the signed-in user. A zone that this browser does not know is left out. */
  set({ currency, timeZone }: ReaderChoices): void {
    const userId = session.get()?.id;
    if (userId === undefined) return;
    const zone = timeZone !== null && isKnownZone(timeZone) ? timeZone : null;
    const before = reader.get();
    if (before.currency === currency && before.timeZone === zone) return;
    const choices = { userId, currency, timeZone: zone };
    writeJson(storageKey, choices);
    store.set(choices);
  },
};

export function useReader(): ReaderChoices {
  const choices = useStore(store);
  return of(choices, session.get()?.id);
}

/** The zone in which times are shown and typed; null for the browser's. */
export const chosenZone = (): Zone => reader.get().timeZone;

/** The name of that zone, as `Asia/Shanghai`. */
export const readerZone = (): string => chosenZone() ?? browserZone();
