import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Delayed } from '../../components/Delayed.js';
import { Num } from '../../components/Text.js';
import type { PlanFactsFragment } from './plans.generated.js';
import { usePlanTexts } from './usePlanTexts.js';

/** The grid of cards: as many in a row as there is room for. */
export const planGrid = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 280px), 1fr))',
  alignItems: 'start',
} as const;

/** Cards of the size of plans while these load. */
export function PlanSkeletons() {
  return (
    <Delayed>
      <Box aria-hidden sx={planGrid}>
        {[1, 2, 3].map((key) => (
          <Skeleton key={key} variant="rounded" height={176} />
        ))}
      </Box>
    </Delayed>
  );
}

/** A plan with its price and what it grants. */
export function PlanCard({
  plan,
  chips,
  menu,
  children,
}: {
  readonly plan: PlanFactsFragment;
  readonly chips?: ReactNode;
  readonly menu?: ReactNode;
  /** Actions. */
  readonly children?: ReactNode;
}) {
  const texts = usePlanTexts();
  return (
    <Card component="article" aria-label={plan.name} sx={{ padding: 2, display: 'grid', gap: 1, minWidth: 0 }}>
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
        <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 8px' }}>
          <Typography variant="h2" sx={{ fontSize: 15, overflowWrap: 'anywhere' }}>
            {plan.name}
          </Typography>
          {chips}
        </Box>
        {menu}
      </Box>
      <Box sx={{ fontSize: 20, lineHeight: '28px', fontWeight: 600 }}>
        <Num>{texts.price(plan)}</Num>
      </Box>
      {plan.description !== '' && (
        <Box sx={{ color: 'text.secondary', overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{plan.description}</Box>
      )}
      <Box component="ul" className="num" sx={{ m: 0, pl: 2.5, fontSize: 13, overflowWrap: 'anywhere' }}>
        {texts.grants(plan).map((grant) => (
          <li key={grant}>{grant}</li>
        ))}
      </Box>
      {children}
    </Card>
  );
}
