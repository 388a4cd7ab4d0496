import Button from '@mui/material/Button';
import ViewColumnOutlinedIcon from '@mui/icons-material/ViewColumnOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnSettingsDialog } from './ColumnSettingsDialog.js';
import type { ColumnChoice } from './useColumnChoice.js';

/** The Columns button with its dialog. */
export function ColumnSettings({ choice }: { readonly choice: ColumnChoice }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  // Mounted on first use, because every list has one.
  const [used, setUsed] = useState(false);
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<ViewColumnOutlinedIcon />}
        onClick={() => {
          setUsed(true);
          setOpen(true);
        }}
        aria-haspopup="dialog"
      >
        {t('grid.columns')}
      </Button>
      {used && <ColumnSettingsDialog choice={choice} open={open} onClose={() => setOpen(false)} />}
    </>
  );
}
