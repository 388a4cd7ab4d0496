import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { Hidden, Mono } from '../../components/Text.js';
import { useFormat } from '../../lib/useFormat.js';
import type { AuditEntry, Change } from './auditChanges.js';
import { fieldText, valueText } from './auditFields.js';

/** Characters. Longer values are placed below each other. */
const shortLength = 48;
const isShort = (text: string | null): boolean => (text ?? '').length <= shortLength && !(text ?? '').includes('\n');

/** A changed field, with its value before and after. */
export function BeforeAfter({ subject, change }: { readonly subject: AuditEntry['subject']; readonly change: Change }) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = fieldText(change, t);
  const shown = (text: string | null) => (text === null ? null : valueText(subject, change, text, t, format));
  const [before, after] = [shown(change.before), shown(change.after)];
  const value = (text: string | null, colour: string) => (
    <Box component="span" sx={{ minWidth: 0, color: colour }}>
      {text === null || text === '' ? <span className="faint">{t('audit.none')}</span> : <Mono>{text}</Mono>}
    </Box>
  );
  const line = (label: string, text: string | null, colour: string) => (
    <Box sx={{ display: 'flex', gap: 1, fontSize: 13 }}>
      <Box sx={{ width: 64, flexShrink: 0, color: 'text.secondary' }}>{label}</Box>
      {value(text, colour)}
    </Box>
  );
  const isLine = isShort(before) && isShort(after);
  return (
    <Box
      component="section"
      aria-label={name}
      sx={isLine ? { display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, columnGap: 2 } : undefined}
    >
      <Box sx={{ fontWeight: 600, fontSize: 13, overflowWrap: 'anywhere' }}>{name}</Box>
      {isLine ? (
        <Box sx={{ fontSize: 13, minWidth: 0 }}>
          <Hidden>{t('audit.before')}: </Hidden>
          {value(before, 'text.secondary')}
          <span aria-hidden> → </span>
          <Hidden>, {t('audit.after')}: </Hidden>
          {value(after, 'text.primary')}
        </Box>
      ) : (
        <>
          {line(t('audit.before'), before, 'text.secondary')}
          {line(t('audit.after'), after, 'text.primary')}
        </>
      )}
    </Box>
  );
}
