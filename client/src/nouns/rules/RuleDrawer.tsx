import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { UnsavedGuard, useMayDiscard } from '../../components/form/UnsavedGuard.js';
import { SideDrawer } from '../../components/SideDrawer.js';

interface RuleDrawerProps {
  readonly title: string;
  /** There are typed values that were not used yet. */
  readonly isChanged: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Frame of a rule's editor. What it gives back becomes a part of the setting, which is saved later. */
export function RuleDrawer({ title, isChanged, onSave, onClose, children }: RuleDrawerProps) {
  const { t } = useTranslation();
  const mayDiscard = useMayDiscard();
  const close = async () => {
    if (!isChanged || (await mayDiscard())) onClose();
  };
  return (
    <SideDrawer
      open
      width={640}
      title={title}
      meta={t('rules.draftText')}
      onClose={() => void close()}
      footer={
        <>
          <Button variant="outlined" onClick={() => void close()} sx={{ ml: 'auto' }}>
            {t('actions.cancel')}
          </Button>
          <Button variant="contained" onClick={onSave}>
            {t('rules.use')}
          </Button>
        </>
      }
    >
      {isChanged && <UnsavedGuard />}
      {children}
    </SideDrawer>
  );
}
