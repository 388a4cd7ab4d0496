import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface Question {
  /** The question with the name of the object, such as "Delete channel “Azure East US 2”?". */
  readonly title: string;
  /** The consequence of confirming. */
  readonly body?: string;
  /** More than text below the body, such as a table. The dialog is wider then. */
  readonly details?: ReactNode;
  /** The label of the confirming button: a verb. Without it the question is about a deletion. */
  readonly verb?: string;
  readonly destructive?: boolean;
  /** The verb has the focus, because the other choice is most likely a mistake. */
  readonly isLikely?: boolean;
  /** The label of the other button. The default is Cancel. */
  readonly no?: string;
}

/** The question, its consequence, and the verb that confirms. Cancel has the focus, unless the verb is likely. */
export function ConfirmDialog({
  question,
  open,
  answer,
}: {
  readonly question: Question;
  readonly open: boolean;
  readonly answer: (yes: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <Dialog
      open={open}
      onClose={() => answer(false)}
      maxWidth={question.details ? 'sm' : 'xs'}
      fullWidth
      role="alertdialog"
    >
      <DialogTitle>{question.title}</DialogTitle>
      {question.body && (
        <DialogContent sx={{ color: 'text.secondary' }}>
          {question.body}
          {question.details}
        </DialogContent>
      )}
      <DialogActions>
        <Button variant="outlined" autoFocus={!question.isLikely} onClick={() => answer(false)}>
          {question.no ?? t('actions.cancel')}
        </Button>
        <Button
          variant="contained"
          color={(question.destructive ?? question.verb === undefined) ? 'error' : 'primary'}
          autoFocus={question.isLikely ?? false}
          onClick={() => answer(true)}
        >
          {question.verb ?? t('actions.delete')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
