import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure } from '../lib/errors.js';
import { toast } from './toast.js';

type Copy = (value: string | (() => Promise<string>), shown?: string) => Promise<boolean>;

const CopyContext = createContext<Copy>(() => Promise.resolve(false));

/** Copies a text, says so, and falls back to a dialog when the clipboard refuses. Answers whether it was copied. */
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
        toast.error(describeFailure(error, t));
        return false;
      }
      try {
        await navigator.clipboard.writeText(text);
      } catch {
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
      <Dialog
        open={refused !== null}
        onClose={() => {
          setRefused(null);
        }}
        fullWidth
        maxWidth="sm"
      >
        <DialogTitle>{t('copy.refused')}</DialogTitle>
        <DialogContent>
          <OutlinedInput
            fullWidth
            autoFocus
            multiline
            maxRows={8}
            readOnly
            value={refused ?? ''}
            className="mono"
            onFocus={(event) => {
              event.target.select();
            }}
            inputProps={{ 'aria-label': t('copy.text') }}
          />
        </DialogContent>
        <DialogActions>
          <Button
            variant="outlined"
            onClick={() => {
              setRefused(null);
            }}
          >
            {t('actions.close')}
          </Button>
        </DialogActions>
      </Dialog>
    </CopyContext.Provider>
  );
}
