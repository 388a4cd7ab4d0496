import Box from '@mui/material/Box';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Dash, Num } from '../../components/Text.js';
import { listText, unitPrice } from '../../lib/format.js';
import { lossesByModel, paidOf, quantityText, type Loss, type LossOfModel } from './belowCost.js';

/** The question before losses are saved, for the confirmation dialog. */
export function questionOf(losses: readonly Loss[], t: TFunction) {
  const rows = lossesByModel(losses);
  return {
    title: t('belowCost.title'),
    body: t('belowCost.body', { count: rows.length }),
    details: <LossTable rows={rows} />,
    verb: t('belowCost.save'),
    destructive: true,
  };
}

/** Models that would be sold below cost: what the group that pays least pays before and after, the cost, and the margin. */
function LossTable({ rows }: { readonly rows: readonly LossOfModel[] }) {
  const { t } = useTranslation();
  return (
    <Box
      sx={{ mt: 1.5, maxHeight: 320, overflow: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label={t('belowCost.title')}
    >
      <Table
        size="small"
        sx={{ '& th, & td': { px: 1, whiteSpace: 'nowrap' }, '& th:first-of-type, & td:first-of-type': { pl: 0 } }}
      >
        <TableHead>
          <TableRow>
            <TableCell>{t('belowCost.model')}</TableCell>
            <TableCell align="right">{t('belowCost.before')}</TableCell>
            <TableCell align="right">{t('belowCost.after')}</TableCell>
            <TableCell align="right">{t('belowCost.cost')}</TableCell>
            <TableCell align="right">{t('belowCost.margin')}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows
            .map((row) => ({ ...row, ...paidOf(row.loss) }))
            .map(({ loss, channels, others, before, after }) => (
              <TableRow key={loss.modelName}>
                <TableCell sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 140 }}>
                  {loss.modelName}
                  <Box sx={{ fontSize: 12, color: 'text.secondary' }}>
                    {[
                      quantityText(loss, t, others),
                      channels === 1 ? loss.channelName : t('belowCost.channels', { count: channels }),
                      listText(loss.groups),
                    ].join(' · ')}
                  </Box>
                </TableCell>
                <TableCell align="right">{before === null ? <Dash /> : <Num>{unitPrice(before)}</Num>}</TableCell>
                <TableCell align="right">
                  <Num strong>{unitPrice(after)}</Num>
                </TableCell>
                <TableCell align="right">
                  <Num>{unitPrice(loss.cost)}</Num>
                </TableCell>
                <TableCell align="right" sx={{ color: 'error.main' }}>
                  <Num>{unitPrice(after - loss.cost)}</Num>
                </TableCell>
              </TableRow>
            ))}
        </TableBody>
      </Table>
    </Box>
  );
}
