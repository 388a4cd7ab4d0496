import type { ComponentType } from 'react';
import { loadable } from '../components/loadable.js';
import { loadAllTexts } from '../i18n/i18n.js';
import { withClient } from '../lib/graphqlClient.js';
import { ScreenSkeleton } from './ScreenSkeleton.js';
import { screens, type ScreenEntry } from './screens.js';

interface LazyScreen {
  readonly Screen: ComponentType;
  /** Loads the screen ahead of its first render. Never rejects: opening the screen shows the failure. */
  preload(): Promise<void>;
}

function toLazy({ module, access, asksAtOnce }: ScreenEntry): LazyScreen {
  const [folder = '', name = ''] = module.split('/');
  const loadScreen = async () => {
    const [exports] = await Promise.all([
      import(`../screens/${folder}/${name}Screen.tsx`) as Promise<Record<string, ComponentType>>,
      access === 'visitor' ? undefined : loadAllTexts(),
    ]);
    const Screen = exports[`${name}Screen`];
    if (!Screen) throw new Error(`${module} exports no ${name}Screen`);
    return Screen;
  };
  const load = access === 'visitor' && !asksAtOnce ? loadScreen : withClient(loadScreen);
  const { Component, preload } = loadable(load, ScreenSkeleton);
  return { Screen: Component, preload };
}

const lazyScreens = new Map(screens.map((entry) => [entry, toLazy(entry)]));

/** Returns the component of a screen, which is in a chunk of its own. */
export function lazyScreen(entry: ScreenEntry): LazyScreen {
  const screen = lazyScreens.get(entry);
  if (!screen) throw new Error(`${entry.module} is not in the table of screens`);
  return screen;
}
