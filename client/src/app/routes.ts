import { createElement, lazy, startTransition, useEffect, useState, type ComponentType } from 'react';
import { loadAllTexts } from '../i18n/i18n.js';
import { underWay } from '../lib/idle.js';

/** A screen in its own chunk; hovering an entry that leads there fetches it ahead. */
export interface LazyScreen {
  readonly Screen: ComponentType;
  /** Has none but the texts that come with every page. */
  readonly isPublic: boolean;
  /** Ends when it is there, or cannot be had: that shows when the screen is really opened. */
  preload(): Promise<void>;
}

/** The bars of the page are on it. */
let hasBegun = false;
/** Until the first screen asks for its data itself. */
const begun = underWay();

/** A screen before which nobody has to sign in: its texts come with the page. */
function publicScreen(load: () => Promise<ComponentType>, isPublic = true): LazyScreen {
  let known: ComponentType | undefined;
  const fetchScreen = async (): Promise<ComponentType> => (known ??= await load());
  const Later = lazy(async () => ({ default: await fetchScreen() }));
  return {
    isPublic,
    Screen: function Screen() {
      // What is there already is not waited for: React shows what stands in for a part at least 0.3 s once it has shown it.
      const [Part, setPart] = useState<ComponentType | null>(() => (hasBegun ? (known ?? Later) : null));
      // The first one comes after the page's bars: both at once would be one long task of a slow phone.
      useEffect(() => {
        hasBegun = true;
        startTransition(() => {
          setPart((part: ComponentType | null) => part ?? known ?? Later);
        });
      }, []);
      // After the effects of the screen, in which it asks.
      useEffect(() => {
        if (Part) setTimeout(begun);
      }, [Part]);
      return Part && createElement(Part);
    },
    preload: async () => {
      await fetchScreen().catch(() => undefined);
    },
  };
}

function lazyScreen(load: () => Promise<ComponentType>): LazyScreen {
  return publicScreen(async () => (await Promise.all([load(), loadAllTexts()]))[0], false);
}

export const screens = {
  home: publicScreen(async () => (await import('../screens/home/HomeScreen.js')).HomeScreen),
  setup: publicScreen(async () => (await import('../screens/setup/SetupScreen.js')).SetupScreen),
  login: publicScreen(async () => (await import('../screens/login/LoginScreen.js')).LoginScreen),
  channels: lazyScreen(async () => (await import('../screens/channels/ChannelListScreen.js')).ChannelListScreen),
  tokens: lazyScreen(async () => (await import('../screens/tokens/TokenListScreen.js')).TokenListScreen),
  logs: lazyScreen(async () => (await import('../screens/logs/LogListScreen.js')).LogListScreen),
  playground: lazyScreen(async () => (await import('../screens/playground/PlaygroundScreen.js')).PlaygroundScreen),
  chat: lazyScreen(async () => (await import('../screens/chat/ChatScreen.js')).ChatScreen),
  chatRedirect: lazyScreen(async () => (await import('../screens/chat/ChatRedirectScreen.js')).ChatRedirectScreen),
  oauthLanding: publicScreen(async () => (await import('../screens/oauth/OAuthLandingScreen.js')).OAuthLandingScreen),
  users: lazyScreen(async () => (await import('../screens/users/UserListScreen.js')).UserListScreen),
  drawings: lazyScreen(async () => (await import('../screens/tasks/DrawingListScreen.js')).DrawingListScreen),
  creativeTasks: lazyScreen(
    async () => (await import('../screens/tasks/CreativeTaskListScreen.js')).CreativeTaskListScreen,
  ),
  settings: lazyScreen(async () => (await import('../screens/settings/SettingsScreen.js')).SettingsScreen),
  dashboard: lazyScreen(async () => (await import('../screens/dashboard/DashboardScreen.js')).DashboardScreen),
  redemptions: lazyScreen(
    async () => (await import('../screens/redemptions/RedemptionListScreen.js')).RedemptionListScreen,
  ),
  wallet: lazyScreen(async () => (await import('../screens/wallet/WalletScreen.js')).WalletScreen),
  personal: lazyScreen(async () => (await import('../screens/personal/PersonalScreen.js')).PersonalScreen),
  pricing: lazyScreen(async () => (await import('../screens/pricing/PricingScreen.js')).PricingScreen),
  about: publicScreen(async () => (await import('../screens/about/AboutScreen.js')).AboutScreen),
  register: publicScreen(async () => (await import('../screens/register/RegisterScreen.js')).RegisterScreen),
  reset: publicScreen(async () => (await import('../screens/reset/ResetScreen.js')).ResetScreen),
  resetConfirm: publicScreen(async () => (await import('../screens/reset/ResetConfirmScreen.js')).ResetConfirmScreen),
} as const;
