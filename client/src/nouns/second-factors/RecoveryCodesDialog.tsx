import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { saveFile } from '../../lib/download.js';

/** Shows new recovery codes, which are never shown again. */
export function RecoveryCodesDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const text = codes.join('\n');
  return (
    <ContentDialog
      open={codes.length > 0}
      title={t('factors.codesTitle')}
      width="xs"
      done={t('factors.codesSaved')}
      actions={
        <Button
          variant="outlined"
          onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), 'recovery-codes.txt')}
        >
          {t('factors.codesDownload')}
        </Button>
      }
      onClose={onClose}
    >
      <Box sx={{ mb: 1.5, color: 'text.secondary' }}>{t('factors.codesText')}</Box>
      <CodeBlock text={text} copyLabel={t('factors.codesCopy')} />
    </ContentDialog>
  );
}
