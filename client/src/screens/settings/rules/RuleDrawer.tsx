import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SideDrawer } from '../../../components/SideDrawer.js';

interface RuleDrawerProps {
  readonly title: string;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Frame of a rule's editor. What it gives back becomes a part of the setting, which is saved later. */
export function RuleDrawer({ title, onSave, onClose, children }: RuleDrawerProps) {
  const { t } = useTranslation();
  return (
    <SideDrawer
      open
      width={640}
      title={title}
      meta={t('rules.draftText')}
      onClose={onClose}
      footer={
        <>
          <Button variant="outlined" onClick={onClose} sx={{ ml: 'auto' }}>
            {t('actions.cancel')}
          </Button>
          <Button variant="contained" onClick={onSave}>
            {t('rules.use')}
          </Button>
        </>
      }
    >
      {children}
    </SideDrawer>
  );
}
