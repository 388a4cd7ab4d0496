import Box from '@mui/material/Box';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/Notice.js';
import { dateTime, dollars, integer, percent } from '../../../lib/format.js';
import { useIsMobile } from '../../../lib/useMediaFlags.js';
import type { DryRunAmountsFragment, PriceDryRunQuery } from './dryRun.generated.js';

type Run = PriceDryRunQuery['priceDryRun'];

/** Two decimals, more below one dollar. */
const amount = (usd: number): string => dollars(usd, usd !== 0 && Math.abs(usd) < 1 ? 4 : 2);
const signed = (usd: number): string => (usd > 0 ? `+${amount(usd)}` : amount(usd));

/** `+12.5%`; empty where there was nothing before. */
export function changeText(before: number, after: number): string {
  if (before === 0) return '';
  const change = (after - before) / Math.abs(before);
  return `${change > 0 ? '+' : ''}${percent(change, 1)}`;
}

/** Revenue and margin of the proposal, and for which calls they are known. */
export function DryRunResult({ run }: { readonly run: Run }) {
  const { t } = useTranslation();
  const { total, skipped } = run;
  const left = skipped.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }} aria-live="polite">
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr 1fr' }, gap: 1.5 }}>
        <Figure label={t('dryRun.revenue')} before={total.usdBefore} after={total.usdAfter} />
        <Figure label={t('dryRun.margin')} before={total.marginBeforeUsd} after={total.marginAfterUsd}>
          {t('dryRun.marginOf', { n: integer(total.costCalls) })}
        </Figure>
        <Panel label={t('dryRun.users')}>
          <Box className="num" sx={{ fontSize: 13 }}>
            {t('dryRun.more', { n: integer(run.usersPayingMore) })}
            <br />
            {t('dryRun.less', { n: integer(run.usersPayingLess) })}
          </Box>
        </Panel>
      </Box>
      <Box className="num" sx={{ fontSize: 13 }}>
        {t('dryRun.covered', {
          n: integer(total.calls),
          all: integer(total.calls + left),
          since: dateTime(run.since),
          until: dateTime(run.until),
        })}
      </Box>
      {!run.isComplete && <Notice tone="amber">{t('dryRun.partial', { since: dateTime(run.since) })}</Notice>}
      {skipped.map(({ reason, calls, usd }) => (
        <Notice key={reason} tone="amber">
          {t(`dryRun.gaps.${reason}`, { n: integer(calls), usd: amount(usd) })}
        </Notice>
      ))}
      {total.calls > 0 && (
        <>
          <Differences
            label={t('dryRun.topUsers')}
            first={t('logs.user')}
            rows={run.users.map(({ userId, username, figures }) => ({ name: username || `#${userId}`, figures }))}
          />
          <Differences
            label={t('dryRun.topModels')}
            first={t('fields.model')}
            rows={run.models.map(({ modelName, figures }) => ({ name: modelName, figures }))}
          />
        </>
      )}
    </Box>
  );
}

function Panel({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Box
      role="group"
      aria-label={label}
      sx={({ vars }) => ({ padding: '10px 12px', borderRadius: '6px', backgroundColor: vars.palette.surface.sunken })}
    >
      <Box sx={{ fontSize: 12, color: 'text.secondary', mb: '2px' }}>{label}</Box>
      {children}
    </Box>
  );
}

function Figure({
  label,
  before,
  after,
  children,
}: {
  readonly label: string;
  readonly before: number;
  readonly after: number;
  readonly children?: ReactNode;
}) {
  return (
    <Panel label={label}>
      <Box className="num" sx={{ fontSize: 15, fontWeight: 600 }}>
        {amount(before)} → {amount(after)}
      </Box>
      <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
        {signed(after - before)} {changeText(before, after)}
      </Box>
      {children && <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{children}</Box>}
    </Panel>
  );
}

function Differences({
  label,
  first,
  rows,
}: {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly { readonly name: string; readonly figures: DryRunAmountsFragment }[];
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  return (
    <Box>
      <Typography variant="h2" sx={{ fontSize: 14, mb: 0.5 }}>
        {label}
      </Typography>
      <Table size="small" className="num" aria-label={label} sx={{ '& td, & th': { px: { xs: 0.5, sm: 2 } } }}>
        <TableHead>
          <TableRow>
            <TableCell>{first}</TableCell>
            {!mobile && <TableCell align="right">{t('dryRun.calls')}</TableCell>}
            <TableCell align="right">{t('dryRun.before')}</TableCell>
            <TableCell align="right">{t('dryRun.after')}</TableCell>
            <TableCell align="right">{t('dryRun.difference')}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(({ name, figures }) => (
            <TableRow key={name}>
              <TableCell sx={{ overflowWrap: 'anywhere' }}>{name}</TableCell>
              {!mobile && <TableCell align="right">{integer(figures.calls)}</TableCell>}
              <TableCell align="right">{amount(figures.usdBefore)}</TableCell>
              <TableCell align="right">{amount(figures.usdAfter)}</TableCell>
              <TableCell align="right">
                {signed(figures.usdAfter - figures.usdBefore)}
                <Box component="span" sx={{ display: 'block', fontSize: 12, color: 'text.secondary' }}>
                  {changeText(figures.usdBefore, figures.usdAfter)}
                </Box>
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}
