import Box from '@mui/material/Box';
import GitHubIcon from '@mui/icons-material/GitHub';
import ShieldOutlinedIcon from '@mui/icons-material/ShieldOutlined';
import TelegramIcon from '@mui/icons-material/Telegram';
import type { ProviderId } from './offeredProviders.js';

const letters: Partial<Record<ProviderId, string>> = { linuxdo: 'L', wechat: '微' };

export function ProviderIcon({ id }: { readonly id: ProviderId }) {
  if (id === 'github') return <GitHubIcon />;
  if (id === 'oidc') return <ShieldOutlinedIcon />;
  if (id === 'telegram') return <TelegramIcon />;
  return (
    <Box
      component="span"
      aria-hidden
      sx={{ width: 16, fontSize: '15px !important', fontWeight: 700, lineHeight: '16px' }}
    >
      {letters[id]}
    </Box>
  );
}
