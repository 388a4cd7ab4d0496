import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import { MayLink } from '../../components/MayLink.js';
import { Hidden, Mono } from '../../components/Text.js';
import { useFormat } from '../../lib/useFormat.js';
import type { AuditEntry, Change } from './auditChanges.js';
import { fieldText, valueText } from './auditFields.js';
import { mentionsOf, rowPage, type ObjectLink } from './auditLinks.js';

/** Characters. Longer values are placed below each other. */
const shortLength = 48;
const isShort = (text: string | null): boolean => (text ?? '').length <= shortLength && !(text ?? '').includes('\n');

/** A changed field, with its value before and after. Objects in it are links to their pages. */
export function BeforeAfter({ entry, change }: { readonly entry: AuditEntry; readonly change: Change }) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = fieldText(change, t);
  const shown = (text: string | null) => (text === null ? null : valueText(entry.subject, change, text, t, format));
  const [before, after] = [shown(change.before), shown(change.after)];
  const value = (stored: string | null, text: string | null, colour: string) => (
    <Box component="span" sx={{ minWidth: 0, color: colour }}>
      {text === null || text === '' ? (
        <span className="faint">{t('audit.none')}</span>
      ) : (
        <Mono>
          {mentionsOf(entry, change, stored ?? '')?.map((mention, index) => (
            <span key={mention.text}>
              {index > 0 && ', '}
              <Linked page={mention.page}>{mention.text}</Linked>
            </span>
          )) ?? text}
        </Mono>
      )}
    </Box>
  );
  const line = (label: string, stored: string | null, text: string | null, colour: string) => (
    <Box sx={{ display: 'flex', gap: 1, fontSize: 13 }}>
      <Box sx={{ width: 64, flexShrink: 0, color: 'text.secondary' }}>{label}</Box>
      {value(stored, text, colour)}
    </Box>
  );
  const isLine = isShort(before) && isShort(after);
  return (
    <Box
      component="section"
      aria-label={name}
      sx={isLine ? { display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, columnGap: 2 } : undefined}
    >
      <Box sx={{ fontWeight: 600, fontSize: 13, overflowWrap: 'anywhere' }}>
        <Linked page={rowPage(change)}>{name}</Linked>
      </Box>
      {isLine ? (
        <Box sx={{ fontSize: 13, minWidth: 0 }}>
          <Hidden>{t('audit.before')}: </Hidden>
          {value(change.before, before, 'text.secondary')}
          <span aria-hidden> → </span>
          <Hidden>, {t('audit.after')}: </Hidden>
          {value(change.after, after, 'text.primary')}
        </Box>
      ) : (
        <>
          {line(t('audit.before'), change.before, before, 'text.secondary')}
          {line(t('audit.after'), change.after, after, 'text.primary')}
        </>
      )}
    </Box>
  );
}

function Linked({ page, children }: { readonly page: ObjectLink | null; readonly children: ReactNode }) {
  return page ? <MayLink {...page}>{children}</MayLink> : children;
}
