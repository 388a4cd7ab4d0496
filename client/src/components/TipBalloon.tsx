import Box from '@mui/material/Box';
import Popper from '@mui/material/Popper';
import { tooltipLook } from '../app/theme/surfaces.js';

/** Looks like every other tooltip. Hidden from screen readers: what it stands beside has the same name. */
export function TipBalloon({ anchor, title }: { readonly anchor: HTMLElement; readonly title: string }) {
  return (
    <Popper open anchorEl={anchor} placement="bottom" aria-hidden sx={{ zIndex: 'tooltip', pointerEvents: 'none' }}>
      <Box sx={{ mt: 1, ...tooltipLook }}>{title}</Box>
    </Popper>
  );
}
