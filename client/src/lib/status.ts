import { siteAddress } from './basePath.js';
import { defaultStatus, type SiteStatus } from './site-status.js';
import { fromStoredStatus, toStoredChats, toStoredStatus } from './status.wire.js';
import { readJson, writeJson } from './storage.js';
import { createStore, useStore } from './store.js';

const storageKey = 'status';
/** Key of a second copy of the chat links, which browser extensions read. */
const chatsKey = 'chats';

interface StatusState {
  readonly status: SiteStatus;
  /** Whether `status` came from the server, now or on an earlier visit. */
  readonly known: boolean;
}

/** The server writes the body of `/api/status` into the page; without a database it cannot. */
function readPageStatus(): unknown {
  const text = document.getElementById('site-status')?.textContent;
  return text ? JSON.parse(text) : null;
}

const page = readPageStatus();
const fromPage = fromStoredStatus(page);
const fromStorage = fromStoredStatus(readJson(storageKey));
const store = createStore<StatusState>({
  status: fromPage ?? fromStorage ?? { ...defaultStatus, chatLinks: [], signInProviders: [] },
  // A stored status in which setup is unfinished may be outdated, so the server is asked before the first paint.
  known: fromPage !== null || fromStorage?.setup === true,
});

function remember(status: SiteStatus): void {
  // The older names, which browser extensions read and the console does not (`min_topup`, `github_client_id` …), stay
  // as the page contained them.
  const older = page ?? readJson(storageKey);
  writeJson(storageKey, { ...(typeof older === 'object' ? older : {}), ...toStoredStatus(status) });
  writeJson(chatsKey, toStoredChats(status.chatLinks ?? []));
}
if (fromPage) remember(fromPage);

export const siteStatus = {
  /** The page contains the status, so that no query is needed. */
  cameWithPage: fromPage !== null,
  get: (): SiteStatus => store.get().status,
  set(status: SiteStatus): void {
    remember(status);
    // An unchanged status causes no render.
    const { known, status: before } = store.get();
    if (known && JSON.stringify(before) === JSON.stringify(status)) return;
    store.set({ status, known: true });
  },
};

export const useStatus = (): SiteStatus => useStore(store).status;

export const useIsStatusKnown = (): boolean => useStore(store).known;

/** The server's value while no address is configured. */
const unsetAddress = 'http://localhost:3000';

/** The base URL for SDKs: the configured server address, else the origin of this page. */
export function useBaseAddress(): string {
  const address = useStatus().serverAddress.replace(/\/+$/, '');
  return address === '' || address === unsetAddress ? siteAddress() : address;
}
