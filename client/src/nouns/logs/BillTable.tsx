import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import { useTranslation } from 'react-i18next';
import { ToneChip } from '../../components/Tone.js';
import { dollars, integer, ratio, unitPrice } from '../../lib/format.js';
import { groupTone } from '../groups/groupTone.js';
import { quantityTexts } from '../prices/quantityTexts.js';
import type { Bill } from './logBill.js';

const cell = { padding: 0, lineHeight: '26px', whiteSpace: 'nowrap', fontWeight: 400 } as const;
const figure = { ...cell, textAlign: 'right', pl: 2 } as const;

/** Tokens, price and amount per line, then the subtotal, the group ratio, and the charged amount. */
export function BillTable({ bill, group }: { readonly bill: Bill; readonly group: string }) {
  const { t } = useTranslation();
  return (
    <Card sx={{ mt: 1.5 }}>
      <Box
        component="table"
        className="num"
        aria-label={t('logs.bill')}
        sx={{
          width: '100%',
          borderCollapse: 'collapse',
          '& tr > :first-of-type:is(th)': { pl: 2, textAlign: 'left' },
          '& tr > td:last-of-type': { pr: 2 },
        }}
      >
        <Box component="tbody" sx={{ '& tr:first-of-type > *': { pt: 1 }, '& tr:last-of-type > *': { pb: 1 } }}>
          {bill.lines.map((line) => (
            // A quantity has two lines where only a part of it is above a threshold.
            <tr key={`${line.kind} ${line.price}`}>
              <Box component="th" scope="row" sx={cell}>
                {t(quantityTexts[line.kind])}
              </Box>
              <Box component="td" sx={{ ...figure, color: 'text.secondary' }}>
                {line.kind === 'call'
                  ? t('logs.billOnce')
                  : line.isPerUnit
                    ? integer(line.tokens)
                    : t('logs.billTokens', { count: line.tokens, amount: integer(line.tokens) })}
              </Box>
              <Box component="td" sx={{ ...figure, color: 'text.secondary' }}>
                {line.kind === 'call'
                  ? t('fields.perCall', { price: dollars(line.price, 6) })
                  : line.isPerUnit
                    ? dollars(line.price, 6)
                    : t('logs.billPerMillion', { price: unitPrice(line.price) })}
              </Box>
              <Box component="td" sx={figure}>
                {dollars(line.amount, 6)}
              </Box>
            </tr>
          ))}
        </Box>
        <Box
          component="tbody"
          sx={({ vars }) => ({
            borderTop: `1px solid ${vars.palette.surface.line}`,
            '& tr:first-of-type > *': { pt: 1 },
            '& tr:last-of-type > *': { pb: 1 },
          })}
        >
          <tr>
            <Box component="th" scope="row" colSpan={3} sx={cell}>
              {t('logs.subtotal')}
            </Box>
            <Box component="td" sx={figure}>
              {dollars(bill.subtotal, 6)}
            </Box>
          </tr>
          <tr>
            <Box component="th" scope="row" colSpan={3} sx={cell}>
              <Box sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
                {t('fields.groupRatio')}
                {group && <ToneChip tone={groupTone(group)}>{group}</ToneChip>}
              </Box>
            </Box>
            <Box component="td" sx={figure}>
              × {ratio(bill.groupRatio)}
            </Box>
          </tr>
          {bill.carried && (
            <tr>
              <Box component="th" scope="row" colSpan={3} sx={cell}>
                {t('logs.carried')}
              </Box>
              <Box component="td" sx={figure}>
                {bill.carried}
              </Box>
            </tr>
          )}
        </Box>
        <Box
          component="tfoot"
          sx={({ vars }) => ({
            borderTop: `1px solid ${vars.palette.surface.line}`,
            backgroundColor: vars.palette.surface.sunken,
          })}
        >
          <tr>
            <Box component="th" scope="row" colSpan={3} sx={{ ...cell, lineHeight: '40px', fontWeight: 600 }}>
              {t('logs.charged')}
            </Box>
            <Box component="td" sx={{ ...figure, fontWeight: 600 }}>
              {dollars(bill.charged, 6)}
            </Box>
          </tr>
        </Box>
      </Box>
    </Card>
  );
}
