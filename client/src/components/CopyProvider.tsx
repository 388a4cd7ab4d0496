import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../lib/copyText.js';
import { lazyPart } from './lazyPart.js';
import { toast } from './toast.js';

type Copy = (value: string | (() => Promise<string>), shown?: string) => Promise<boolean>;

const CopyByHandDialog = lazyPart(async () => (await import('./CopyByHandDialog.js')).CopyByHandDialog);

const CopyContext = createContext<Copy>(() => Promise.resolve(false));

/** Copies a text and shows a toast, or a dialog if the clipboard is unavailable. Resolves to whether it was copied. */
export const useCopy = (): Copy => useContext(CopyContext);

export function CopyProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const [refused, setRefused] = useState<string | null>(null);

  const copy = useCallback<Copy>(
    async (value, shown) => {
      let text: string;
      try {
        text = typeof value === 'string' ? value : await value();
      } catch (error) {
        toast.failure(error, t);
        return false;
      }
      if (!(await copyText(text))) {
        setRefused(text);
        return false;
      }
      const said = shown ?? text;
      toast.success(said === '' ? t('copy.done') : t('copy.doneValue', { value: said }));
      return true;
    },
    [t],
  );

  return (
    <CopyContext.Provider value={copy}>
      {children}
      {refused !== null && <CopyByHandDialog text={refused} onClose={() => setRefused(null)} />}
    </CopyContext.Provider>
  );
}
