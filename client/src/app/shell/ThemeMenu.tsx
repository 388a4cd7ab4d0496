import { useColorScheme } from '@mui/material/styles';
import DarkModeOutlinedIcon from '@mui/icons-material/DarkModeOutlined';
import LightModeOutlinedIcon from '@mui/icons-material/LightModeOutlined';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../components/lazyPart.js';
import { IconMenu } from './IconMenu.js';

const List = lazyPart(
  async () => (await import('./ThemeItems.js')).ThemeList,
  ({ anchor }) => anchor !== null,
);

/** Choice of the light, dark or system theme. The default is the system theme. */
export function ThemeMenu() {
  const { t } = useTranslation();
  const { colorScheme } = useColorScheme();
  const icon = colorScheme === 'dark' ? <DarkModeOutlinedIcon /> : <LightModeOutlinedIcon />;
  return <IconMenu label={t('shell.theme')} icon={icon} List={List} />;
}
