import { defaultStatus, type SiteStatus } from './site-status.js';
import { readJson, writeJson } from './storage.js';
import { createStore, useStore } from './store.js';
import { fromPageStatus, fromStoredStatus, toStoredChats, toStoredStatus } from './status.wire.js';

const storageKey = 'status';
/** The chat links once more by themselves, where older pages and browser extensions look for them. */
const chatsKey = 'chats';

interface StatusState {
  readonly status: SiteStatus;
  /** True when `status` was told by the server or remembered from an earlier visit. */
  readonly known: boolean;
}

const told = fromPageStatus(document.getElementById('site-status')?.textContent);
const remembered = fromStoredStatus(readJson(storageKey));
// An installation that had no administrator then may have one now: that is asked before anything is painted.
const store = createStore<StatusState>({
  status: told ?? remembered ?? defaultStatus,
  known: told !== null || remembered?.setup === true,
});

function remember(status: SiteStatus): void {
  writeJson(storageKey, toStoredStatus(status));
  writeJson(chatsKey, toStoredChats(status.chats ?? []));
}
if (told) remember(told);

export const siteStatus = {
  /** The page had it in it: nobody has to ask. */
  cameWithPage: told !== null,
  get: (): SiteStatus => store.get().status,
  set(status: SiteStatus): void {
    remember(status);
    // Most visits are told what they remember, and then nothing has to be drawn anew.
    const { known, status: before } = store.get();
    if (known && JSON.stringify(before) === JSON.stringify(status)) return;
    store.set({ status, known: true });
  },
};

export const useStatus = (): SiteStatus => useStore(store).status;

export const useIsStatusKnown = (): boolean => useStore(store).known;

/** What the server says while nobody has set its address. */
const unsetAddress = 'http://localhost:3000';

/** The address clients point their SDK at: the configured one, else where this page came from. */
export function useBaseAddress(): string {
  const address = useStatus().serverAddress.replace(/\/+$/, '');
  return address === '' || address === unsetAddress ? location.origin : address;
}
