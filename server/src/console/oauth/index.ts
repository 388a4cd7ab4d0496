export { GitHubProvider } from './github-provider.js';
export { LinuxDoProvider } from './linux-do-provider.js';
export { OAuthService } from './oauth.service.js';
export { OidcProvider } from './oidc-provider.js';
export { ProviderAccounts } from './provider-account.js';
export { SignInStates } from './sign-in-state.js';
export { WeChatProvider } from './wechat-provider.js';
