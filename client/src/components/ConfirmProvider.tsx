import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface Question {
  /** Names the object: Delete channel “Azure East US 2”? */
  readonly title: string;
  /** What follows from a yes. */
  readonly body?: string;
  /** The button: a verb. */
  readonly verb: string;
  readonly destructive?: boolean;
  /** Default: Cancel. */
  readonly no?: string;
}

type Confirm = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false));

/** Asks before what cannot be undone. Resolves true for yes. */
export const useConfirm = (): Confirm => useContext(ConfirmContext);

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState<{ question: Question; answer: (yes: boolean) => void } | null>(null);

  const confirm = useCallback<Confirm>(
    (question) =>
      new Promise((resolve) => {
        setAsked({ question, answer: resolve });
        setOpen(true);
      }),
    [],
  );
  const answer = (yes: boolean) => {
    asked?.answer(yes);
    setOpen(false);
  };

  return (
    <ConfirmContext.Provider value={confirm}>
      {children}
      <Dialog
        open={open}
        onClose={() => {
          answer(false);
        }}
        maxWidth="xs"
        fullWidth
        role="alertdialog"
      >
        <DialogTitle>{asked?.question.title}</DialogTitle>
        {asked?.question.body && <DialogContent sx={{ color: 'text.secondary' }}>{asked.question.body}</DialogContent>}
        <DialogActions>
          <Button
            variant="outlined"
            autoFocus
            onClick={() => {
              answer(false);
            }}
          >
            {asked?.question.no ?? t('actions.cancel')}
          </Button>
          <Button
            variant="contained"
            color={asked?.question.destructive ? 'error' : 'primary'}
            onClick={() => {
              answer(true);
            }}
          >
            {asked?.question.verb}
          </Button>
        </DialogActions>
      </Dialog>
    </ConfirmContext.Provider>
  );
}
