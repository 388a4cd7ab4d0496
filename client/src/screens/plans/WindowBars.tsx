import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { useTranslation } from 'react-i18next';
import { dateTime } from '../../lib/format.js';
import type { SubscriptionFactsFragment } from './plans.generated.js';
import { usePlanTexts } from './usePlanTexts.js';

/** The windows of a subscription: a bar of the use of each, the amount that is left, and the time of its reset. */
export function WindowBars({ windows }: { readonly windows: SubscriptionFactsFragment['windows'] }) {
  const { t } = useTranslation();
  const texts = usePlanTexts();
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 1.5 }}>
      {windows.map((window, index) => {
        const { kind, amount, used, held, resetsAt } = window;
        const share = Math.min(1, (used + held) / amount);
        const title = texts.window(window);
        const left = texts.amountOf(kind, Math.max(0, amount - used - held));
        return (
          <Box component="li" key={index} sx={{ display: 'grid', gap: '4px', minWidth: 0 }}>
            <Box className="num" sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>
              {title}
            </Box>
            <LinearProgress
              variant="determinate"
              aria-label={t('plans.shareOf', { window: title })}
              value={share * 100}
              color={share >= 1 ? 'error' : share >= 0.8 ? 'warning' : 'primary'}
            />
            <Box className="num" sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary' }}>
              {[
                t('budgets.used', { amount: texts.amountOf(kind, used) }),
                ...(held > 0 ? [t('budgets.held', { amount: texts.amountOf(kind, held) })] : []),
                t('budgets.left', { amount: left }),
                ...(resetsAt ? [t('budgets.resets', { time: dateTime(resetsAt) })] : []),
              ].join(' · ')}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
}
