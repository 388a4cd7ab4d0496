import { useIsAdmin } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';

export interface SiteLink {
  readonly label: `shell.${'home' | 'console' | 'pricing' | 'docs' | 'about'}`;
  /** A path of the console, or an external URL that opens in a new tab. */
  readonly to: string;
  readonly outside?: boolean;
}

/** Links of the top bar, and of the drawer on narrow screens. The price list is public, but only admins get its link. */
export function useSiteLinks(): readonly SiteLink[] {
  const { docsLink, enableDataExport } = useStatus();
  const admin = useIsAdmin();
  return [
    { label: 'shell.home', to: '/' },
    { label: 'shell.console', to: enableDataExport ? '/detail' : '/token' },
    ...(admin ? [{ label: 'shell.pricing', to: '/pricing' } as const] : []),
    ...(/^https?:\/\//.test(docsLink) ? [{ label: 'shell.docs', to: docsLink, outside: true } as const] : []),
    { label: 'shell.about', to: '/about' },
  ];
}
