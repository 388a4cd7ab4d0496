import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../lib/status.js';
import { fromStoredStatus } from '../lib/status.wire.js';
import { readJson } from '../lib/storage.js';
import { LazyRichText } from './LazyRichText.js';

const interval = 200;
const attempts = 5;

/**
 * The footer of the public pages. It reads the stored status up to five times, because the first paint may precede the
 * status.
 */
export function Footer() {
  const { t } = useTranslation();
  const { footerHtml } = useStatus();
  const [stored, setStored] = useState('');
  useEffect(() => {
    let left = attempts;
    const timer = setInterval(() => {
      left -= 1;
      setStored(fromStoredStatus(readJson('status'))?.footerHtml ?? '');
      if (left === 0) clearInterval(timer);
    }, interval);
    return () => clearInterval(timer);
  }, []);
  const html = footerHtml || stored;
  return (
    <Box
      component="footer"
      sx={{ padding: '16px 16px 24px', textAlign: 'center', fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}
    >
      {html ? <LazyRichText html text={html} /> : t('shell.credit')}
    </Box>
  );
}
