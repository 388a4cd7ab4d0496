import Box from '@mui/material/Box';
import ErrorOutlinedIcon from '@mui/icons-material/ErrorOutlineOutlined';
import InfoOutlinedIcon from '@mui/icons-material/InfoOutlined';
import WarningAmberOutlinedIcon from '@mui/icons-material/WarningAmberOutlined';
import type { ReactNode } from 'react';

const icons = { amber: WarningAmberOutlinedIcon, red: ErrorOutlinedIcon, blue: InfoOutlinedIcon } as const;

/** A tinted banner of one or two lines. Errors are announced to screen readers at once, others politely. */
export function Notice({
  tone,
  children,
  action,
  icon = true,
}: {
  readonly tone: keyof typeof icons;
  readonly children: ReactNode;
  readonly action?: ReactNode;
  readonly icon?: boolean;
}) {
  const Icon = icons[tone];
  return (
    <Box
      role={tone === 'red' ? 'alert' : 'status'}
      sx={({ vars }) => ({
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        padding: '8px 12px',
        minHeight: 36,
        borderRadius: '6px',
        fontSize: 13,
        backgroundColor: vars.palette.tone[tone].tint,
        color: vars.palette.text.primary,
        '& > svg': { color: vars.palette.tone[tone].text, flexShrink: 0 },
      })}
    >
      {icon && <Icon />}
      <Box sx={{ flex: 1, minWidth: 0 }}>{children}</Box>
      {action}
    </Box>
  );
}
