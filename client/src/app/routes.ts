import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A screen in its own chunk; hovering an entry that leads there fetches it ahead. */
export interface LazyScreen {
  readonly Screen: LazyExoticComponent<ComponentType>;
  preload(): void;
}

function lazyScreen(load: () => Promise<ComponentType>): LazyScreen {
  return {
    Screen: lazy(async () => ({ default: await load() })),
    preload: () => {
      // A failure shows when the screen is really opened.
      load().catch(() => undefined);
    },
  };
}

export const screens = {
  home: lazyScreen(async () => (await import('../screens/home/HomeScreen.js')).HomeScreen),
  setup: lazyScreen(async () => (await import('../screens/setup/SetupScreen.js')).SetupScreen),
  login: lazyScreen(async () => (await import('../screens/login/LoginScreen.js')).LoginScreen),
  channels: lazyScreen(async () => (await import('../screens/channels/ChannelListScreen.js')).ChannelListScreen),
  tokens: lazyScreen(async () => (await import('../screens/tokens/TokenListScreen.js')).TokenListScreen),
  logs: lazyScreen(async () => (await import('../screens/logs/LogListScreen.js')).LogListScreen),
  users: lazyScreen(async () => (await import('../screens/users/UserListScreen.js')).UserListScreen),
  settings: lazyScreen(async () => (await import('../screens/settings/SettingsScreen.js')).SettingsScreen),
} as const;
