import TranslateOutlinedIcon from '@mui/icons-material/TranslateOutlined';
import { useTranslation } from 'react-i18next';
import { later } from '../../components/later.js';
import { IconMenu } from './IconMenu.js';

const list = later(async () => (await import('./LanguageItems.js')).LanguageList);

export function LanguageMenu() {
  const { t } = useTranslation();
  return <IconMenu label={t('shell.language')} icon={<TranslateOutlinedIcon />} list={list} />;
}
