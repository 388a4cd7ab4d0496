import { useStatus } from '../lib/status.js';

export type ProviderId = 'github' | 'oidc' | 'linuxdo' | 'wechat' | 'telegram';

/** Other sites whose accounts open this one, as far as the admin turned them on. */
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
