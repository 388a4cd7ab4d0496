import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { BudgetList } from '../../nouns/budgets/BudgetList.js';

/** Budgets of the site, and those of all channels, which are added in the editor of a channel. */
export function BudgetPanel() {
  const { t } = useTranslation();
  return (
    <Box sx={{ px: 2, pb: 2, display: 'grid', gap: 2.5, minWidth: 0 }}>
      {(['SITE', 'CHANNEL'] as const).map((level) => (
        <Box key={level} role="group" aria-label={t(`budgets.levels.${level}`)} sx={{ minWidth: 0 }}>
          <Typography variant="h3">{t(`budgets.levels.${level}`)}</Typography>
          <Box sx={{ fontSize: 12, color: 'text.secondary', mb: 1 }}>
            {t(level === 'SITE' ? 'budgets.texts.SITE' : 'budgets.channelsText')}
          </Box>
          <BudgetList subject={{ level }} />
        </Box>
      ))}
    </Box>
  );
}
