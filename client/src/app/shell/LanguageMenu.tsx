import IconButton from '@mui/material/IconButton';
import TranslateOutlinedIcon from '@mui/icons-material/TranslateOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { later } from '../../components/later.js';
import { Tip } from '../../components/Tip.js';

const list = later(async () => (await import('./LanguageItems.js')).LanguageList);
const preload = () => void list.preload();

export function LanguageMenu() {
  const { t } = useTranslation();
  const [used, setUsed] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Tip title={t('shell.language')}>
        <IconButton
          aria-label={t('shell.language')}
          aria-haspopup="menu"
          onPointerEnter={preload}
          onKeyDown={preload}
          onClick={(event) => {
            setUsed(true);
            setAnchor(event.currentTarget);
          }}
        >
          <TranslateOutlinedIcon />
        </IconButton>
      </Tip>
      {used && (
        <list.Part
          anchor={anchor}
          onClose={() => {
            setAnchor(null);
          }}
        />
      )}
    </>
  );
}
