export { GitHubProvider } from './github-provider.js';
export { LinuxDoProvider } from './linux-do-provider.js';
export { OAuthService } from './oauth.service.js';
export { OidcProvider, optionOidcSettings } from './oidc-provider.js';
export { ProviderAccounts } from './provider-account.js';
export { SignInStates } from './sign-in-state.js';
export { SignInLink, SignInProvider } from './sign-in-provider.entity.js';
export { SignInProviderService } from './sign-in-provider.service.js';
export { WeChatProvider } from './wechat-provider.js';
