import IconButton from '@mui/material/IconButton';
import { useColorScheme } from '@mui/material/styles';
import DarkModeOutlinedIcon from '@mui/icons-material/DarkModeOutlined';
import LightModeOutlinedIcon from '@mui/icons-material/LightModeOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { later } from '../../components/later.js';
import { Tip } from '../../components/Tip.js';

const list = later(async () => (await import('./ThemeItems.js')).ThemeList);
const preload = () => void list.preload();

/** Light, dark, or as the system is, which is what holds without a choice. */
export function ThemeMenu() {
  const { t } = useTranslation();
  const { colorScheme } = useColorScheme();
  const [used, setUsed] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Tip title={t('shell.theme')}>
        <IconButton
          aria-label={t('shell.theme')}
          aria-haspopup="menu"
          onPointerEnter={preload}
          onKeyDown={preload}
          onClick={(event) => {
            setUsed(true);
            setAnchor(event.currentTarget);
          }}
        >
          {colorScheme === 'dark' ? <DarkModeOutlinedIcon /> : <LightModeOutlinedIcon />}
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
