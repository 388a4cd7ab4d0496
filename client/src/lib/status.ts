import { readJson, writeJson } from './storage.js';
import { createStore, useStore } from './store.js';
import { fromStoredStatus, toStoredStatus } from './status.wire.js';

/** What the site says about itself to everybody. */
export interface SiteStatus {
  /** False: the set-up wizard has not been finished. */
  readonly setup: boolean;
  readonly systemName: string;
  /** URL of a picture; empty: our own mark. */
  readonly logo: string;
  readonly serverAddress: string;
  readonly quotaPerUnit: number;
  readonly displayInCurrency: boolean;
  readonly docsLink: string;
  readonly footerHtml: string;
  readonly selfUseModeEnabled: boolean;
  readonly demoSiteEnabled: boolean;
  readonly defaultCollapseSidebar: boolean;
  readonly version: string;
  /** Unix seconds. */
  readonly startTime: number;
}

export const defaultStatus: SiteStatus = {
  setup: true,
  systemName: 'Tollgate',
  logo: '',
  serverAddress: '',
  quotaPerUnit: 500_000,
  displayInCurrency: true,
  docsLink: '',
  footerHtml: '',
  selfUseModeEnabled: false,
  demoSiteEnabled: false,
  defaultCollapseSidebar: false,
  version: '',
  startTime: 0,
};

const storageKey = 'status';

interface StatusState {
  readonly status: SiteStatus;
  /** True when `status` was told by the server or remembered from an earlier visit. */
  readonly known: boolean;
}

const remembered = fromStoredStatus(readJson(storageKey));
const store = createStore<StatusState>({ status: remembered ?? defaultStatus, known: remembered !== null });

export const siteStatus = {
  get: (): SiteStatus => store.get().status,
  set(status: SiteStatus): void {
    writeJson(storageKey, toStoredStatus(status));
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
