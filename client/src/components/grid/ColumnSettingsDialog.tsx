import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ColumnChoice } from './useColumnChoice.js';

/** One checkbox per column. The choice applies when it is confirmed. */
export function ColumnSettingsDialog({
  choice,
  open,
  onClose,
}: {
  readonly choice: ColumnChoice;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<ReadonlySet<string> | null>(null);
  const close = () => {
    setDraft(null);
    onClose();
  };
  const all = choice.columns.map((column) => column.field);
  const shown = draft ?? choice.shown;
  const toggle = (field: string) => {
    const next = new Set(shown);
    if (!next.delete(field)) next.add(field);
    setDraft(next);
  };
  return (
    <Dialog open={open} onClose={close} maxWidth="xs" fullWidth>
      <DialogTitle>{t('grid.columnSettings')}</DialogTitle>
      <DialogContent>
        <FormControlLabel
          control={
            <Checkbox
              checked={shown.size === all.length}
              indeterminate={shown.size > 0 && shown.size < all.length}
              onChange={() => setDraft(new Set(shown.size === all.length ? [] : all))}
            />
          }
          label={t('grid.selectAll')}
          slotProps={{ typography: { variant: 'body2' } }}
        />
        <Box
          sx={{
            display: 'grid',
            gridTemplateColumns: '1fr 1fr',
            mt: 0.5,
            pt: 0.5,
            borderTop: '1px solid',
            borderColor: 'divider',
          }}
        >
          {choice.columns.map((column) => (
            <FormControlLabel
              key={column.field}
              control={<Checkbox checked={shown.has(column.field)} onChange={() => toggle(column.field)} />}
              label={column.label}
              slotProps={{ typography: { variant: 'body2' } }}
            />
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => setDraft(new Set(all))} sx={{ mr: 'auto' }}>
          {t('actions.reset')}
        </Button>
        <Button variant="outlined" onClick={close}>
          {t('actions.cancel')}
        </Button>
        <Button
          variant="contained"
          onClick={() => {
            choice.setShown(shown);
            close();
          }}
        >
          {t('actions.ok')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
