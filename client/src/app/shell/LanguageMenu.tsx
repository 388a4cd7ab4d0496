import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Tooltip from '@mui/material/Tooltip';
import TranslateOutlinedIcon from '@mui/icons-material/TranslateOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeLanguage, languages, type Language } from '../../i18n/i18n.js';

/** Each language in its own words, whatever the current one is. */
const names: Record<Language, string> = { zh: '中文', en: 'English' };

export function LanguageMenu() {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Tooltip title={t('shell.language')}>
        <IconButton
          aria-label={t('shell.language')}
          aria-haspopup="menu"
          onClick={(event) => {
            setAnchor(event.currentTarget);
          }}
        >
          <TranslateOutlinedIcon />
        </IconButton>
      </Tooltip>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => {
          setAnchor(null);
        }}
      >
        <LanguageItems
          onDone={() => {
            setAnchor(null);
          }}
        />
      </Menu>
    </>
  );
}

/** The entries alone: on narrow screens they stand in the user menu. */
export function LanguageItems({ onDone }: { readonly onDone: () => void }) {
  const { i18n } = useTranslation();
  return languages.map((language) => (
    <MenuItem
      key={language}
      lang={language}
      role="menuitemradio"
      aria-checked={i18n.language === language}
      selected={i18n.language === language}
      onClick={() => {
        void changeLanguage(language);
        onDone();
      }}
    >
      {names[language]}
    </MenuItem>
  ));
}
