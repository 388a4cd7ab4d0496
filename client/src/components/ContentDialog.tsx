import Button from '@mui/material/Button';
import Dialog, { type DialogProps } from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** A dialog that shows something, with a button that closes it. */
export function ContentDialog({
  open = true,
  title,
  width = 'sm',
  actions,
  done,
  slotProps,
  onClose,
  children,
}: {
  readonly open?: boolean;
  readonly title: string;
  readonly width?: 'xs' | 'sm' | 'md';
  /** Buttons before the one that closes the dialog. */
  readonly actions?: ReactNode;
  /** Label of a filled button that closes the dialog. Default: an outlined Close. */
  readonly done?: string;
  readonly slotProps?: NonNullable<DialogProps['slotProps']>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} onClose={onClose} maxWidth={width} fullWidth {...(slotProps ? { slotProps } : {})}>
      <DialogTitle>{title}</DialogTitle>
      <DialogContent>{children}</DialogContent>
      <DialogActions>
        {actions}
        <Button variant={done === undefined ? 'outlined' : 'contained'} onClick={onClose}>
          {done ?? t('actions.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
