import Drawer from '@mui/material/Drawer';
import { SideBar } from './SideBar.js';

/** The side bar of narrow screens. */
export function NavigationDrawer({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Drawer
      anchor="left"
      open={open}
      onClose={onClose}
      slotProps={{ paper: { sx: { width: 264, backgroundColor: 'background.default' } } }}
    >
      <SideBar collapsed={false} />
    </Drawer>
  );
}
