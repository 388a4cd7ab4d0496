import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';

/** Content of the viewer: a text, a JSON record, an image, audio or a video. */
export interface Viewed {
  readonly kind: 'text' | 'image' | 'audio' | 'video';
  readonly title: string;
  /** The text, or the URL of the image, audio or video. */
  readonly content: string;
}

export function TaskViewer({ viewed, onClose }: { readonly viewed: Viewed; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { kind, title, content } = viewed;
  return (
    <ContentDialog
      title={title}
      width={kind === 'image' || kind === 'video' ? 'md' : 'sm'}
      onClose={onClose}
      actions={
        kind !== 'text' && (
          <Button href={content} target="_blank" rel="noreferrer noopener">
            {t('tasks.openAlone')}
          </Button>
        )
      }
    >
      {kind === 'text' && <CodeBlock text={content} copyLabel={t('tasks.copyText')} />}
      {kind === 'image' && (
        <Box
          component="img"
          src={content}
          alt={title}
          sx={{ display: 'block', maxWidth: '100%', maxHeight: '70vh', minHeight: 120, margin: '0 auto' }}
        />
      )}
      {kind === 'video' && (
        <Box
          component="video"
          controls
          autoPlay
          playsInline
          src={content}
          aria-label={title}
          sx={{ display: 'block', maxWidth: '100%', maxHeight: '70vh', minHeight: 120, margin: '0 auto' }}
        />
      )}
      {kind === 'audio' && (
        <Box component="audio" controls src={content} aria-label={title} sx={{ width: '100%', display: 'block' }} />
      )}
    </ContentDialog>
  );
}
