import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import AudioFileOutlinedIcon from '@mui/icons-material/AudioFileOutlined';
import EditOutlinedIcon from '@mui/icons-material/EditOutlined';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import type { Question } from './turns.js';

/** A message of the user, at the right; it can be edited. */
export const QuestionView = memo(function QuestionView({
  question,
  idle,
  onEdit,
}: {
  readonly question: Question;
  readonly idle: boolean;
  readonly onEdit: (questionId: string, text: string) => void;
}) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<string | null>(null);
  if (draft !== null) {
    return (
      <Editor
        text={draft}
        onChange={setDraft}
        onCancel={() => setDraft(null)}
        onSend={() => {
          setDraft(null);
          onEdit(question.id, draft.trim());
        }}
        canSend={idle && (draft.trim() !== '' || question.images.length > 0 || question.recording !== undefined)}
      />
    );
  }
  return (
    <Box
      component="article"
      aria-label={t('playground.question')}
      sx={{
        alignSelf: 'flex-end',
        maxWidth: { xs: '100%', sm: '85%' },
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'flex-end',
        minWidth: 0,
        '& .question-actions': { opacity: { xs: 1, sm: 0 } },
        '&:hover .question-actions, &:focus-within .question-actions': { opacity: 1 },
      }}
    >
      <Images images={question.images} />
      {question.recording && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, fontSize: 13, overflowWrap: 'anywhere' }}>
          <AudioFileOutlinedIcon sx={{ fontSize: 18 }} />
          {question.recording.name}
        </Box>
      )}
      <Box sx={{ display: 'flex', alignItems: 'center', gap: '4px', maxWidth: '100%' }}>
        <Box className="question-actions" sx={{ display: 'flex', transition: 'opacity 120ms' }}>
          {question.text && <CopyButton value={question.text} shown="" label={t('playground.copyQuestion')} />}
          <IconButton
            aria-label={t('playground.editQuestion')}
            disabled={!idle}
            onClick={() => setDraft(question.text)}
            sx={{ width: 28, height: 28, '& svg': { fontSize: 16 } }}
          >
            <EditOutlinedIcon />
          </IconButton>
        </Box>
        {question.text && (
          <Box
            sx={({ vars }) => ({
              minWidth: 0,
              padding: '8px 14px',
              borderRadius: '8px',
              backgroundColor: vars.palette.tone.teal.tint,
              fontSize: 14,
              lineHeight: '21px',
              whiteSpace: 'pre-wrap',
              overflowWrap: 'anywhere',
            })}
          >
            {question.text}
          </Box>
        )}
      </Box>
    </Box>
  );
});

function Images({ images }: { readonly images: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, justifyContent: 'flex-end', mb: images.length > 0 ? 1 : 0 }}>
      {images.map((image, index) => (
        <Box
          key={index}
          component="img"
          src={image}
          alt={t('playground.image', { number: index + 1 })}
          sx={{
            display: 'block',
            height: 160,
            maxWidth: '100%',
            objectFit: 'contain',
            borderRadius: '8px',
            border: '1px solid',
            borderColor: 'divider',
          }}
        />
      ))}
    </Box>
  );
}

function Editor({
  text,
  onChange,
  onCancel,
  onSend,
  canSend,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onCancel: () => void;
  readonly onSend: () => void;
  readonly canSend: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ alignSelf: 'stretch', display: 'flex', flexDirection: 'column', gap: 1 }}>
      <OutlinedInput
        multiline
        autoFocus
        minRows={2}
        maxRows={12}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          // While an input method composes text, Enter commits the text.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (canSend) onSend();
        }}
        inputProps={{ 'aria-label': t('playground.editQuestion') }}
        sx={{ fontSize: 14 }}
      />
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', justifyContent: 'flex-end', flexWrap: 'wrap' }}>
        <Box sx={{ fontSize: 12, color: 'text.secondary', mr: 'auto' }}>{t('playground.editText')}</Box>
        <Button variant="outlined" onClick={onCancel}>
          {t('actions.cancel')}
        </Button>
        <Button variant="outlined" disabled={!canSend} onClick={onSend}>
          {t('playground.askAgain')}
        </Button>
      </Box>
    </Box>
  );
}
