import { createContext, useContext, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { SettingsDraft } from './settingsDraft.js';
import { problemOf } from './settingsCheck.js';

export const SettingsContext = createContext(new SettingsDraft());

export const useSettingsDraft = (): SettingsDraft => useContext(SettingsContext);

/** One setting: its value, its problem, and its setter. Changes of other settings do not render it again. */
export function useSetting(key: string) {
  const draft = useSettingsDraft();
  const { t } = useTranslation();
  const value = useSyncExternalStore(draft.subscribe, () => draft.value(key));
  const changed = useSyncExternalStore(draft.subscribe, () => draft.state().edits.has(key));
  const saved = useSyncExternalStore(draft.subscribe, () => draft.state().saved.get(key));
  const problem = useSyncExternalStore(draft.subscribe, () => problemOf(key, draft.state(), t));
  return {
    value,
    changed,
    problem,
    /** False: only the root user can change it. */
    writable: saved?.isWritable ?? false,
    /** Whether a value of a secret is stored. */
    isSet: saved?.isSet ?? false,
    change: (next: string) => draft.edit(key, next),
    /** Removes the stored value of a secret. */
    remove: () => draft.remove(key),
  };
}

/** Whether the setting has no effect now, because the switch it depends on is off. */
export function useIsOff({ key, enabledBy }: { readonly key: string; readonly enabledBy?: string }): boolean {
  const required = useSetting(enabledBy ?? key);
  return enabledBy !== undefined && required.value !== 'true';
}
