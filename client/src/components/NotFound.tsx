import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import SearchOffOutlinedIcon from '@mui/icons-material/SearchOffOutlined';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState } from './EmptyState.js';

export function NotFound() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Box sx={{ pt: 6 }}>
      <title>{t('notFound.title')}</title>
      <EmptyState
        icon={<SearchOffOutlinedIcon />}
        title={t('notFound.title')}
        text={t('notFound.text')}
        action={
          <Box sx={{ display: 'flex', gap: 1 }}>
            <Button variant="outlined" onClick={() => void navigate(-1)}>
              {t('actions.back')}
            </Button>
            <Button variant="contained" component={Link} to="/">
              {t('shell.home')}
            </Button>
          </Box>
        }
      />
    </Box>
  );
}
