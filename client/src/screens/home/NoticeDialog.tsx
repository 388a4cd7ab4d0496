import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../components/ContentDialog.js';
import { LazyRichText } from '../../components/LazyRichText.js';
import { readText, writeText } from '../../lib/storage.js';

/** Storage key of the notice that was closed last. */
const storageKey = 'notice';

/** The site's notice, until it was closed; a changed text is shown again. */
export function NoticeDialog({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [read, setRead] = useState(() => readText(storageKey));
  const close = () => {
    writeText(storageKey, text);
    setRead(text);
  };
  return (
    <ContentDialog open={text !== '' && text !== read} title={t('home.notice')} onClose={close}>
      <LazyRichText text={text} />
    </ContentDialog>
  );
}
