import TranslateOutlinedIcon from '@mui/icons-material/TranslateOutlined';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../components/lazyPart.js';
import { IconMenu } from './IconMenu.js';

const List = lazyPart(
  async () => (await import('./LanguageItems.js')).LanguageList,
  ({ anchor }) => anchor !== null,
);

export function LanguageMenu() {
  const { t } = useTranslation();
  return <IconMenu label={t('shell.language')} icon={<TranslateOutlinedIcon />} List={List} />;
}
