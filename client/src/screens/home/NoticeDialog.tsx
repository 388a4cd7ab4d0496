import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../components/ContentDialog.js';
import { LazyRichText } from '../../components/LazyRichText.js';
import { isNoticeRead, markNoticeRead } from '../../lib/noticeRead.js';

/** The site's notice, until it was closed; a changed text is shown again. */
export function NoticeDialog({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [closed, setClosed] = useState('');
  const close = () => {
    markNoticeRead(text);
    setClosed(text);
  };
  return (
    <ContentDialog open={text !== closed && !isNoticeRead(text)} title={t('home.notice')} onClose={close}>
      <LazyRichText text={text} />
    </ContentDialog>
  );
}
