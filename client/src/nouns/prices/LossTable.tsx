import Box from '@mui/material/Box';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { useTranslation } from 'react-i18next';
import { Dash, Num } from '../../components/Text.js';
import { decimal, integer, unitPrice } from '../../lib/format.js';
import type { LossOfModel } from './belowCost.js';
import { quantityLabel } from './quantityTexts.js';

/** Models that would be sold below cost: the price before and after, the cost, and the margin, before the group ratio. */
export function LossTable({ rows }: { readonly rows: readonly LossOfModel[] }) {
  const { t } = useTranslation();
  return (
    <Box
      sx={{ mt: 1.5, maxHeight: 320, overflow: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label={t('belowCost.title')}
    >
      <Table size="small" sx={{ '& th, & td': { px: 1, whiteSpace: 'nowrap' }, '& td:first-of-type': { pl: 0 } }}>
        <TableHead>
          <TableRow>
            <TableCell sx={{ pl: 0 }}>{t('belowCost.model')}</TableCell>
            <TableCell align="right">{t('belowCost.before')}</TableCell>
            <TableCell align="right">{t('belowCost.after')}</TableCell>
            <TableCell align="right">{t('belowCost.cost')}</TableCell>
            <TableCell align="right">{t('belowCost.margin')}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(({ loss, channels }) => (
            <TableRow key={`${loss.modelName} ${loss.quantity} ${loss.above}`}>
              <TableCell sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 140 }}>
                {loss.modelName}
                <Box sx={{ fontSize: 12, color: 'text.secondary' }}>
                  {[
                    quantityLabel(t, loss.quantity) +
                      (loss.above > 0 ? `, ${t('priceCard.above', { tokens: integer(loss.above) })}` : ''),
                    channels === 1 ? loss.channelName : t('belowCost.channels', { count: channels }),
                    loss.groups.join(', '),
                  ].join(' · ')}
                </Box>
              </TableCell>
              <TableCell align="right">
                {loss.savedPrice == null ? <Dash /> : <Num>{unitPrice(loss.savedPrice)}</Num>}
              </TableCell>
              <TableCell align="right">
                <Num strong>{unitPrice(loss.price)}</Num>
              </TableCell>
              <TableCell align="right">
                <Num>{unitPrice(loss.cost)}</Num>
              </TableCell>
              <TableCell align="right" sx={{ color: 'error.main' }}>
                <Num>{`${decimal(((loss.price - loss.cost) / loss.cost) * 100, 0)}%`}</Num>
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}
