import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';
import { settingId } from '../../nouns/settings/SettingRow.js';
import { settingsByKey } from '../../nouns/settings/settingsByKey.js';

/** Milliseconds in which a found setting is marked. */
const markedFor = 2500;

/** Scrolls to the setting of the `find` parameter, marks it and focuses its control. */
export function useFoundSetting(): void {
  const [params] = useSearchParams();
  const key = params.get('find');
  useEffect(() => {
    if (key === null) return undefined;
    const row = document.querySelector<HTMLElement>(`[data-setting="${CSS.escape(key)}"]`);
    // The settings of a collapsed sign-in provider have no row, so its section is used.
    const place = row ?? document.getElementById(`section-${settingsByKey.get(key)?.section ?? ''}`);
    if (!place) return undefined;
    place.scrollIntoView({ block: 'center' });
    document.getElementById(settingId(key))?.focus({ preventScroll: true });
    place.dataset['found'] = 'true';
    const unmark = () => delete place.dataset['found'];
    const timer = setTimeout(unmark, markedFor);
    return () => {
      clearTimeout(timer);
      unmark();
    };
  }, [key]);
}
