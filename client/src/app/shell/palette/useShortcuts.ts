import { useEffect, useState } from 'react';

type Overlay = 'palette' | 'shortcuts' | null;

/** Ctrl K or ⌘ K opens the palette, `?` the list of shortcuts. */
export function useShortcuts(): readonly [Overlay, (overlay: Overlay) => void] {
  const [overlay, setOverlay] = useState<Overlay>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOverlay((before) => (before === 'palette' ? null : 'palette'));
      }
      const typing = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]');
      if (event.key === '?' && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        setOverlay('shortcuts');
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return [overlay, setOverlay];
}
