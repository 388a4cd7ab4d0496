import type { ComponentType } from 'react';
import { loadable } from '../components/loadable.js';
import type { EmbeddedScreens } from '../nouns/organisations/embedded.js';
import { lazyScreen } from './lazyScreens.js';
import { screens } from './screens.js';

function screenOf(module: string): ComponentType {
  const entry = screens.find((one) => one.module === module);
  if (!entry) throw new Error(`${module} is not in the table of screens`);
  return lazyScreen(entry).Screen;
}

const { Component: ActingAs } = loadable(async () => {
  const [{ actingWith }, { createApolloClient }] = await Promise.all([import('./ActingAs.js'), import('./apollo.js')]);
  return actingWith(createApolloClient);
});

export const embeddedScreens: EmbeddedScreens = {
  ActingAs,
  Keys: screenOf('tokens/TokenList'),
  Calls: screenOf('logs/LogList'),
  Wallet: screenOf('wallet/Wallet'),
  Statements: screenOf('statements/StatementList'),
};
