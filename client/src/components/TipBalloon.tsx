import Box from '@mui/material/Box';
import Popper from '@mui/material/Popper';
import type { ReactNode } from 'react';
import { tooltipLook } from '../app/theme/surfaces.js';

/** Looks like every other tooltip. A name is hidden from screen readers: what it stands beside has the same. */
export function TipBalloon({
  anchor,
  title,
  isName,
}: {
  readonly anchor: HTMLElement;
  readonly title: ReactNode;
  readonly isName: boolean;
}) {
  return (
    <Popper
      open
      anchorEl={anchor}
      placement="bottom"
      {...(isName ? { 'aria-hidden': true } : { role: 'tooltip' })}
      sx={{ zIndex: 'tooltip', pointerEvents: 'none' }}
    >
      <Box sx={{ mt: 1, ...tooltipLook }}>{title}</Box>
    </Popper>
  );
}
