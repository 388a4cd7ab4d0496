import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import KeyboardArrowDownOutlinedIcon from '@mui/icons-material/KeyboardArrowDownOutlined';
import KeyboardArrowUpOutlinedIcon from '@mui/icons-material/KeyboardArrowUpOutlined';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { Notice } from '../../components/Notice.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { dateTime, dollars } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { BillTable } from './BillTable.js';
import { useMay } from '../../lib/permissions.js';
import { CapturedSection } from './CapturedSection.js';
import { amountOf } from './logAmount.js';
import { billOf } from './logBill.js';
import { typeLabels } from './logTypes.js';
import { ContentSection, CostSection, RatioSection, RequestSection } from './LogSections.js';
import type { LogRow } from './logRow.js';

/** All details of a row, with the calculation of its cost. ↑ and ↓ open the previous and next row of the page. */
export function LogDetail({
  rows,
  opened,
  onOpen,
  isAdmin,
}: {
  readonly rows: readonly LogRow[];
  /** Id of the row. */
  readonly opened: string;
  readonly onOpen: (id: string | null) => void;
  readonly isAdmin: boolean;
}) {
  const { t } = useTranslation();
  const index = rows.findIndex((candidate) => String(candidate.id) === opened);
  const row = rows[index];
  const step = (by: number) => {
    const next = rows[index + by];
    if (next) onOpen(String(next.id));
  };
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
      event.preventDefault();
      step(event.key === 'ArrowUp' ? -1 : 1);
    };
    addEventListener('keydown', move);
    return () => removeEventListener('keydown', move);
  });
  if (!row) return null;

  const title = row.type === 'CONSUME' || row.type === 'TEST' ? (row.modelName ?? '') : t(typeLabels[row.type]);
  return (
    <SideDrawer
      open
      width={520}
      title={title}
      meta={dateTime(row.at, 'seconds')}
      onClose={() => onOpen(null)}
      headerActions={
        <>
          <Tooltip title={t('logs.previousRow')}>
            <span>
              <IconButton aria-label={t('logs.previousRow')} disabled={index <= 0} onClick={() => step(-1)}>
                <KeyboardArrowUpOutlinedIcon />
              </IconButton>
            </span>
          </Tooltip>
          <Tooltip title={t('logs.nextRow')}>
            <span>
              <IconButton aria-label={t('logs.nextRow')} disabled={index >= rows.length - 1} onClick={() => step(1)}>
                <KeyboardArrowDownOutlinedIcon />
              </IconButton>
            </span>
          </Tooltip>
        </>
      }
    >
      <LogDetailBody row={row} isAdmin={isAdmin} />
    </SideDrawer>
  );
}

export function LogDetailBody({ row, isAdmin }: { readonly row: LogRow; readonly isAdmin: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { quota, isInCurrency, isLocal } = format;
  const amount = amountOf(row, format);
  const { quotaPerUnit } = useStatus();
  const mayReadCaptures = useMay('LOGS_CAPTURES');
  const bill = row.type === 'CONSUME' ? billOf(row, quotaPerUnit) : null;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
      {row.type === 'TEST' && <Notice tone="blue">{t('logs.testText')}</Notice>}
      {amount !== null && (
        <Box>
          <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>
            {row.type === 'CONSUME' ? t('logs.cost') : t('logs.amount')}
          </Box>
          <Box
            className="num"
            sx={{ display: 'flex', alignItems: 'baseline', justifyContent: 'space-between', gap: 1, flexWrap: 'wrap' }}
          >
            <Typography variant="h4" component="p">
              {amount}
            </Typography>
            {isInCurrency && (
              <Box sx={{ color: 'text.secondary' }}>
                {isLocal && `${dollars(row.quota / quotaPerUnit, 6)} · `}
                {quota(row.quota)}
              </Box>
            )}
          </Box>
          {bill && <BillTable bill={bill} group={row.group ?? ''} />}
          {bill && (
            <Box sx={{ mt: 1.5 }}>
              <CodeBlock text={bill.formula} />
            </Box>
          )}
          {bill && !bill.explains && (
            <Box sx={{ mt: 1.5 }}>
              <Notice tone="blue">{t('logs.notExplained')}</Notice>
            </Box>
          )}
        </Box>
      )}
      <RequestSection row={row} isAdmin={isAdmin} />
      {row.type === 'CONSUME' && row.price && <RatioSection row={row} price={row.price} />}
      {row.cost && <CostSection cost={row.cost} />}
      <ContentSection row={row} />
      {row.isCaptured && row.requestId && mayReadCaptures && (
        <CapturedSection key={row.requestId} requestId={row.requestId} />
      )}
    </Box>
  );
}
