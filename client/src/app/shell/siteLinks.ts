import { useTranslation } from 'react-i18next';
import { sitePath } from '../../lib/basePath.js';
import { useMay } from '../../lib/permissions.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';

export interface SiteLink {
  readonly label: `shell.${'home' | 'console' | 'pricing' | 'modelHealth' | 'statusPage' | 'docs' | 'about'}`;
  /** A path of the console; with `outside`, an address that opens in a new tab. */
  readonly to: string;
  readonly outside?: boolean;
}

/**
 * Links of the top bar, and of the drawer on narrow screens. The price list is public, but only admins get its link. The
 * documentation is the operator's (option `general_setting.docs_link`), else the server's own.
 */
export function useSiteLinks(): readonly SiteLink[] {
  const { docsLink, enableDataExport, publicModelHealth, enableStatusPage } = useStatus();
  const { i18n } = useTranslation();
  const ownDocs = sitePath(i18n.language.startsWith('zh') ? '/docs/zh' : '/docs');
  const admin = useMay('PRICES');
  const signedIn = useSession() !== null;
  return [
    { label: 'shell.home', to: '/' },
    { label: 'shell.console', to: enableDataExport ? '/detail' : '/token' },
    ...(admin ? [{ label: 'shell.pricing', to: '/pricing' } as const] : []),
    // Signed-in users have this link in the side bar.
    ...(publicModelHealth && !signedIn ? [{ label: 'shell.modelHealth', to: '/model-health' } as const] : []),
    ...(enableStatusPage && !signedIn ? [{ label: 'shell.statusPage', to: '/status' } as const] : []),
    { label: 'shell.docs', to: /^https?:\/\//.test(docsLink) ? docsLink : ownDocs, outside: true },
    { label: 'shell.about', to: '/about' },
  ];
}
