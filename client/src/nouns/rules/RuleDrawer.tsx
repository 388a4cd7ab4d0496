import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { UnsavedGuard, useMayDiscard } from '../../components/form/UnsavedGuard.js';
import { SideDrawer } from '../../components/SideDrawer.js';

interface RuleDrawerProps {
  readonly title: string;
  /** Whether there are typed values that were not applied. */
  readonly isChanged: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The frame of a rule's editor. The edited rule becomes a part of the setting, which is saved later. */
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
