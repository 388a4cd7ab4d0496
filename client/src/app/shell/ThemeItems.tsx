import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useColorScheme } from '@mui/material/styles';
import { useTranslation } from 'react-i18next';
import type { MenuListProps } from './IconMenu.js';

const modes = [
  ['light', 'shell.lightTheme'],
  ['dark', 'shell.darkTheme'],
  ['system', 'shell.systemTheme'],
] as const;

export function ThemeList({ anchor, onClose }: MenuListProps) {
  const { t } = useTranslation();
  const { mode, setMode } = useColorScheme();
  return (
    <Menu anchorEl={anchor} open={anchor !== null} onClose={onClose}>
      {modes.map(([choice, label]) => (
        <MenuItem
          key={choice}
          role="menuitemradio"
          aria-checked={mode === choice}
          selected={mode === choice}
          onClick={() => {
            setMode(choice);
            onClose();
          }}
        >
          {t(label)}
        </MenuItem>
      ))}
    </Menu>
  );
}
