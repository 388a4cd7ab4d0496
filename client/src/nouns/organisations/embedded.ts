import { createContext, use, type ComponentType, type ReactNode } from 'react';
import type { Acting } from '../../lib/acting.js';

/** Screens of the own account that the page of an organisation shows for the organisation. */
export interface EmbeddedScreens {
  readonly ActingAs: ComponentType<{ readonly acting: Acting; readonly children: ReactNode }>;
  readonly Keys: ComponentType;
  readonly Calls: ComponentType;
  readonly Wallet: ComponentType;
  readonly Statements: ComponentType;
}

/** Provided by `app/`, because no screen may import another one. */
export const EmbeddedScreensContext = createContext<EmbeddedScreens | null>(null);

export const useEmbeddedScreens = (): EmbeddedScreens | null => use(EmbeddedScreensContext);
