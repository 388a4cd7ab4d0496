import { useLazyQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { Section } from './LogSections.js';
import { CapturedContentDocument } from './logs.generated.js';

/** The captured prompt and response, loaded on demand. */
export function CapturedSection({ requestId }: { readonly requestId: string }) {
  const { t } = useTranslation();
  const [load, { data, loading, error }] = useLazyQuery(CapturedContentDocument, { fetchPolicy: 'no-cache' });
  // A failure is shown from the state of the query.
  const show = () => void load({ variables: { requestId } }).catch(() => undefined);
  const content = data?.capturedContent;
  return (
    <Section title={t('logs.captured')}>
      {error && <LoadFailure title={t('logs.captureFailed')} error={error} onRetry={show} />}
      {!data && !error && (
        <Button size="small" variant="outlined" onClick={show} loading={loading}>
          {t('logs.showCaptured')}
        </Button>
      )}
      {data && !content && <Box sx={{ color: 'text.secondary' }}>{t('logs.captureDeleted')}</Box>}
      {content?.isCut && <Notice tone="blue">{t('logs.captureCut')}</Notice>}
      {content &&
        [
          { name: t('logs.capturedRequest'), text: pretty(content.request) },
          { name: t('logs.capturedResponse'), text: content.response },
        ].map(({ name, text }) => (
          <Box key={name} sx={{ mt: 1.5 }}>
            <Box sx={{ fontSize: 12, color: 'text.secondary', mb: 0.5 }}>{name}</Box>
            <CodeBlock text={text} copyLabel={t('logs.copyContent', { name })} />
          </Box>
        ))}
    </Section>
  );
}

/** A request that was cut is not JSON any more. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
