import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { useCopy } from '../../components/CopyProvider.js';
import { saveFile } from '../../lib/download.js';

const download = (codes: readonly string[]): void => {
  saveFile(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }), 'codes.txt');
};

/** The codes just created, to copy or download. */
export function NewCodesDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const copy = useCopy();
  return (
    <ContentDialog
      title={t('redemptions.readyTitle', { count: codes.length })}
      done={t('actions.done')}
      onClose={onClose}
      actions={
        <>
          <Button variant="outlined" onClick={() => download(codes)}>
            {t('redemptions.download')}
          </Button>
          <Button variant="outlined" onClick={() => void copy(codes.join('\n'), '')}>
            {t('actions.copy')}
          </Button>
        </>
      }
    >
      <CodeBlock text={codes.join('\n')} />
    </ContentDialog>
  );
}
