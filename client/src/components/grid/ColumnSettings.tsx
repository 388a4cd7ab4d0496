import Button from '@mui/material/Button';
import ViewColumnOutlinedIcon from '@mui/icons-material/ViewColumnOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { later, usePreloaded } from '../later.js';
import type { ColumnChoice } from './useColumnChoice.js';

const dialog = later(async () => (await import('./ColumnSettingsDialog.js')).ColumnSettingsDialog);

/** The Columns button with its dialog. */
export function ColumnSettings({ choice }: { readonly choice: ColumnChoice }) {
  usePreloaded(dialog);
  const { t } = useTranslation();
  const [used, setUsed] = useState(false);
  const [open, setOpen] = useState(false);
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
      {used && (
        <dialog.Part
          choice={choice}
          open={open}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
