import IconButton from '@mui/material/IconButton';
import { useColorScheme } from '@mui/material/styles';
import DarkModeOutlinedIcon from '@mui/icons-material/DarkModeOutlined';
import LightModeOutlinedIcon from '@mui/icons-material/LightModeOutlined';
import { useTranslation } from 'react-i18next';
import { Tip } from '../../components/Tip.js';

/** Shows where a press leads: a moon in the light, a sun in the dark. Without a choice the system decides. */
export function ThemeSwitch() {
  const { t } = useTranslation();
  const { colorScheme, setMode } = useColorScheme();
  const dark = colorScheme === 'dark';
  const label = dark ? t('shell.lightTheme') : t('shell.darkTheme');
  return (
    <Tip title={label}>
      <IconButton
        aria-label={label}
        onClick={() => {
          setMode(dark ? 'light' : 'dark');
        }}
      >
        {dark ? <LightModeOutlinedIcon /> : <DarkModeOutlinedIcon />}
      </IconButton>
    </Tip>
  );
}
