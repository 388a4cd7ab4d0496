import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { useTranslation } from 'react-i18next';
import { SideDrawer } from '../../../components/SideDrawer.js';
import { exactDollars, integer, listText } from '../../../lib/format.js';
import { conditionKey } from '../quantities.js';
import { conditionLabel, quantityLabel } from '../quantityTexts.js';
import { changeText, KindChip } from './diffColumns.js';
import { sourceName, type DiffLine } from './diffLine.js';

/** Every price of a line that differs, and the choice of a source. */
export function DiffDrawer({
  line,
  source,
  onChoose,
  onClose,
}: {
  readonly line: DiffLine | null;
  readonly source: string | null;
  readonly onChoose: (model: string, source: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  if (!line) return null;
  const where = ({ above, when }: DiffLine['changes'][number]): string =>
    listText(
      [above > 0 ? t('priceCard.above', { tokens: integer(above) }) : '', when ? conditionLabel(t, when) : ''].filter(
        Boolean,
      ),
    );
  return (
    <SideDrawer open width={640} title={line.model} meta={<KindChip line={line} />} onClose={onClose}>
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {line.changes.length > 0 && (
          <Table size="small" className="num" aria-label={t('priceSync.changes')}>
            <TableHead>
              <TableRow>
                <TableCell>{t('priceCard.quantity')}</TableCell>
                <TableCell align="right">
                  {t(line.kind === 'DISAGREE' ? 'priceSync.first' : 'priceSync.current')}
                </TableCell>
                <TableCell align="right">
                  {t(line.kind === 'DISAGREE' ? 'priceSync.second' : 'priceSync.offer')}
                </TableCell>
                <TableCell align="right">{t('priceSync.change')}</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {line.changes.map((change) => (
                <TableRow key={`${change.quantity} ${change.above} ${conditionKey(change.when ?? {})}`}>
                  <TableCell>
                    {quantityLabel(t, change.quantity)}
                    <Box component="span" sx={{ color: 'text.secondary', ml: 1 }}>
                      {where(change)}
                    </Box>
                  </TableCell>
                  <TableCell align="right">{exactDollars(change.before)}</TableCell>
                  <TableCell align="right">{exactDollars(change.after)}</TableCell>
                  <TableCell align="right">{changeText(change.percent)}</TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        )}
        {line.offers.map((offer) => (
          <Box key={offer.source} sx={{ display: 'flex', alignItems: 'center', gap: 2, fontSize: 13 }}>
            <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              {/^https?:/.test(offer.source) ? (
                <Link href={offer.source} target="_blank" rel="noreferrer">
                  {sourceName(offer.source)}
                </Link>
              ) : (
                offer.source
              )}
            </Box>
            {line.kind === 'DISAGREE' && (
              <Button
                variant={source === offer.source ? 'contained' : 'outlined'}
                onClick={() => onChoose(line.model, offer.source)}
              >
                {t('priceSync.useThis')}
              </Button>
            )}
          </Box>
        ))}
        {line.kind === 'GONE' && <Box sx={{ fontSize: 13 }}>{t('priceSync.goneText')}</Box>}
      </Box>
    </SideDrawer>
  );
}
