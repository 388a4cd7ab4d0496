/**
 * Under `src/screens`, the module of each path's screen. The build says by it which files a page should name, so that a
 * browser fetches all of them at once instead of learning of each when the one before it has run.
 */
export const screenFiles = {
  /** Whose texts are the few of public pages. */
  visitors: {
    '/oauth/:provider': 'oauth/OAuthLandingScreen',
    '/setup': 'setup/SetupScreen',
    '/': 'home/HomeScreen',
    '/login': 'login/LoginScreen',
    '/register': 'register/RegisterScreen',
    '/reset': 'reset/ResetScreen',
    '/user/reset': 'reset/ResetConfirmScreen',
    '/about': 'about/AboutScreen',
  },
  /** Open to everybody, with texts of the console. */
  everybody: {
    '/pricing': 'pricing/PricingScreen',
    '/chat': 'chat/ChatScreen',
    '/chat/:id': 'chat/ChatScreen',
  },
  /** Whoever is not signed in is sent to `/login`. */
  users: {
    '/playground': 'playground/PlaygroundScreen',
    '/chat2link': 'chat/ChatRedirectScreen',
    '/token': 'tokens/TokenListScreen',
    '/log': 'logs/LogListScreen',
    '/midjourney': 'tasks/DrawingListScreen',
    '/task': 'tasks/CreativeTaskListScreen',
    '/detail': 'dashboard/DashboardScreen',
    '/topup': 'wallet/WalletScreen',
    '/personal': 'personal/PersonalScreen',
    '/user/edit': 'personal/PersonalScreen',
    '/channel': 'channels/ChannelListScreen',
    '/channel/add': 'channels/ChannelListScreen',
    '/channel/edit/:id': 'channels/ChannelListScreen',
    '/user': 'users/UserListScreen',
    '/user/edit/:id': 'users/UserListScreen',
    '/redemption': 'redemptions/RedemptionListScreen',
    '/setting': 'settings/SettingsScreen',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type Audience = keyof typeof screenFiles;
