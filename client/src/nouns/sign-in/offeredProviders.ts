import { useStatus } from '../../lib/status.js';

export type ProviderId = 'github' | 'oidc' | 'linuxdo' | 'wechat' | 'telegram';

/** The sign-in providers that the site has enabled. */
export function useProviders(): readonly ProviderId[] {
  const { githubOauth, oidcEnabled, linuxdoOauth, wechatLogin, telegramOauth } = useStatus();
  const on: Record<ProviderId, boolean> = {
    github: githubOauth,
    oidc: oidcEnabled,
    linuxdo: linuxdoOauth,
    wechat: wechatLogin,
    telegram: telegramOauth,
  };
  return (Object.keys(on) as ProviderId[]).filter((id) => on[id]);
}
