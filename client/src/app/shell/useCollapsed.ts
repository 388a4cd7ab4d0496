import { useCallback, useState } from 'react';
import { useStatus } from '../../lib/status.js';
import { readText, writeText } from '../../lib/storage.js';
import { useIsTablet } from '../../lib/useMediaFlags.js';

const storageKey = 'default_collapse_sidebar';

/**
 * Whether the side bar is collapsed: by the user's choice, or else by the site's default. On tablets it is collapsed
 * until it is opened there.
 */
export function useCollapsed(): readonly [boolean, () => void] {
  const tablet = useIsTablet();
  const { defaultCollapseSidebar } = useStatus();
  const [stored, setStored] = useState(() => readText(storageKey));
  const [openOnTablet, setOpenOnTablet] = useState(false);
  const collapsed = tablet ? !openOnTablet : stored === null ? defaultCollapseSidebar : stored === 'true';
  const toggle = useCallback(() => {
    if (tablet) {
      setOpenOnTablet(collapsed);
      return;
    }
    writeText(storageKey, String(!collapsed));
    setStored(String(!collapsed));
  }, [tablet, collapsed]);
  return [collapsed, toggle];
}
