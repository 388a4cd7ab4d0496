import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useTranslation } from 'react-i18next';
import { changeLanguage } from '../../i18n/i18n.js';
import { languages, type Language } from '../../i18n/languages.js';
import type { MenuListProps } from './IconMenu.js';

/** The name of each language in that language. */
const names: Record<Language, string> = {
  zh: '中文',
  en: 'English',
  ja: '日本語',
  fr: 'Français',
  ru: 'Русский',
  vi: 'Tiếng Việt',
};

/** The menu entries without a menu, because narrow screens show them in the user menu. */
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

export function LanguageList({ anchor, onClose }: MenuListProps) {
  return (
    <Menu anchorEl={anchor} open={anchor !== null} onClose={onClose}>
      <LanguageItems onDone={onClose} />
    </Menu>
  );
}
