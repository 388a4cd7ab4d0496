import Button from '@mui/material/Button';
import RefreshOutlinedIcon from '@mui/icons-material/RefreshOutlined';
import { useTranslation } from 'react-i18next';

/** Reloads the list; its icon spins while loading. */
export function RefreshButton({ loading, onRefresh }: { readonly loading: boolean; readonly onRefresh: () => void }) {
  const { t } = useTranslation();
  const turning = {
    '@keyframes turn': { to: { transform: 'rotate(360deg)' } },
    animation: loading ? 'turn 0.8s linear infinite' : undefined,
  };
  return (
    <Button variant="outlined" startIcon={<RefreshOutlinedIcon sx={turning} />} onClick={onRefresh}>
      {t('actions.refresh')}
    </Button>
  );
}
