import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from './ContentDialog.js';

/** Shows the selected text to copy manually, for when the clipboard is unavailable. */
export function CopyByHandDialog({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <ContentDialog title={t('copy.refused')} onClose={onClose}>
      <OutlinedInput
        fullWidth
        autoFocus
        multiline
        maxRows={8}
        readOnly
        value={text}
        className="mono"
        onFocus={(event) => event.target.select()}
        inputProps={{ 'aria-label': t('copy.text') }}
      />
    </ContentDialog>
  );
}
