import type { ComponentType } from 'react';
import type { EmbeddedScreens } from '../nouns/organisations/embedded.js';
import { ActingAs } from './ActingAs.js';
import { lazyScreen } from './lazyScreens.js';
import { screens } from './screens.js';

function screenOf(module: string): ComponentType {
  const entry = screens.find((one) => one.module === module);
  if (!entry) throw new Error(`${module} is not in the table of screens`);
  return lazyScreen(entry).Screen;
}

export const embeddedScreens: EmbeddedScreens = {
  ActingAs,
  Keys: screenOf('tokens/TokenList'),
  Calls: screenOf('logs/LogList'),
  Wallet: screenOf('wallet/Wallet'),
};
