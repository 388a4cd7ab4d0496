import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import AddPhotoAlternateOutlinedIcon from '@mui/icons-material/AddPhotoAlternateOutlined';
import ArrowUpwardOutlinedIcon from '@mui/icons-material/ArrowUpwardOutlined';
import AudioFileOutlinedIcon from '@mui/icons-material/AudioFileOutlined';
import CleaningServicesOutlinedIcon from '@mui/icons-material/CleaningServicesOutlined';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import StopIcon from '@mui/icons-material/Stop';
import Tooltip from '@mui/material/Tooltip';
import { useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import type { ModelKind } from './playground.generated.js';
import { maxImages, acceptsImages, toDataUrl } from './images.js';

/** Texts of an empty input. A model without one gets a message. */
const placeholders = {
  COMPLETION: 'playground.inputText',
  EMBEDDING: 'playground.inputText',
  MODERATION: 'playground.inputText',
  RERANK: 'playground.inputQuery',
  IMAGE: 'playground.inputImage',
  SPEECH: 'playground.inputSpeech',
  TRANSCRIPTION: 'playground.inputRecording',
  VIDEO: 'playground.inputVideo',
  CHAT: 'playground.message',
  MUSIC: 'playground.message',
  REALTIME: 'playground.message',
} as const satisfies Record<ModelKind, string>;

/** Input for messages. Enter sends, Shift+Enter adds a line, Escape stops the current response. */
export function Composer({
  model,
  kind,
  running,
  problem,
  canClear,
  text,
  onText,
  onSend,
  onStop,
  onClear,
}: {
  readonly model: string;
  readonly kind: ModelKind;
  readonly running: boolean;
  /** Why nothing can be sent; null if it can. */
  readonly problem: string | null;
  readonly canClear: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: (text: string, images: readonly string[], recording?: File) => void;
  readonly onStop: () => void;
  readonly onClear: () => void;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [images, setImages] = useState<readonly string[]>([]);
  const input = useRef<HTMLTextAreaElement>(null);
  const [recording, setRecording] = useState<File | null>(null);
  const canSeeImages = kind === 'CHAT' && acceptsImages(model);
  const needsRecording = kind === 'TRANSCRIPTION';
  const sent = canSeeImages ? images : [];
  const hasInput = needsRecording ? recording !== null : text.trim() !== '' || sent.length > 0;
  const canSend = !running && problem === null && model !== '' && hasInput;

  const send = () => {
    if (!canSend) return;
    onSend(text.trim(), sent, needsRecording ? (recording ?? undefined) : undefined);
    setImages([]);
    setRecording(null);
    input.current?.focus();
  };
  const add = async (files: readonly File[]) => {
    if (needsRecording) {
      setRecording(files[0] ?? null);
      return;
    }
    if (!canSeeImages) {
      toast.error(t('playground.takesNoImages', { model }));
      return;
    }
    if (images.length + files.length > maxImages) toast.error(t('playground.tooManyImages', { maximum: maxImages }));
    for (const file of files.slice(0, maxImages - images.length)) {
      try {
        if (!file.type.startsWith('image/')) throw new Error('no image');
        const image = await toDataUrl(file);
        setImages((before) => [...before, image].slice(0, maxImages));
      } catch {
        toast.error(t('playground.notAnImage', { name: file.name }));
      }
    }
  };

  return (
    <Box
      component="form"
      data-floating-bar="tall"
      aria-label={t('playground.composer')}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        const files = [...event.dataTransfer.files];
        // Text is the field's own, and the browser would leave the page for a file.
        if (files.length === 0) return;
        event.preventDefault();
        void add(files);
      }}
      sx={({ vars }) => ({
        border: `1px solid ${vars.palette.surface.lineStrong}`,
        borderRadius: '10px',
        backgroundColor: vars.palette.background.paper,
        padding: '8px',
        '&:focus-within': {
          borderColor: vars.palette.primary.main,
          boxShadow: `0 0 0 3px rgba(${vars.palette.primary.mainChannel} / 0.18)`,
        },
      })}
    >
      <Attached images={sent} onRemove={(index) => setImages(images.filter((_, at) => at !== index))} />
      {needsRecording && recording && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, padding: '4px 8px 8px', fontSize: 13 }}>
          <AudioFileOutlinedIcon sx={{ fontSize: 18 }} />
          <Box sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>{recording.name}</Box>
          <IconButton
            aria-label={t('playground.removeRecording', { name: recording.name })}
            onClick={() => setRecording(null)}
            sx={{ width: 28, height: 28, '& svg': { fontSize: 16 } }}
          >
            <CloseOutlinedIcon />
          </IconButton>
        </Box>
      )}
      <InputBase
        multiline
        fullWidth
        maxRows={10}
        value={text}
        inputRef={input}
        placeholder={model === '' ? t('fields.noModels') : t(placeholders[kind], { model })}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && running) onStop();
          // While an input method composes text, Enter commits the text.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          // Tables and formatted texts come with an image of themselves.
          if (files.length > 0 && (canSeeImages || event.clipboardData.getData('text') === '')) void add(files);
        }}
        inputProps={{ 'aria-label': t('playground.yourMessage'), 'aria-describedby': 'composer-hint' }}
        sx={{
          padding: '4px 8px 8px',
          fontSize: 14,
          lineHeight: '21px',
          '& textarea': { outline: 'none' },
          '& textarea::placeholder': { color: 'text.disabled', opacity: 1 },
        }}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
        {canSeeImages && (
          <FileButton label={t('playground.addImage')} accept="image/*" multiple onFiles={(files) => void add(files)}>
            <AddPhotoAlternateOutlinedIcon />
          </FileButton>
        )}
        {needsRecording && (
          <FileButton
            label={t('playground.addRecording')}
            accept="audio/*,video/mp4,video/webm"
            onFiles={(files) => void add(files)}
          >
            <AudioFileOutlinedIcon />
          </FileButton>
        )}
        {mobile ? (
          <Tooltip title={t('playground.clearContext')}>
            <span>
              <IconButton aria-label={t('playground.clearContext')} disabled={!canClear} onClick={onClear}>
                <CleaningServicesOutlinedIcon />
              </IconButton>
            </span>
          </Tooltip>
        ) : (
          <Button
            disabled={!canClear}
            onClick={onClear}
            startIcon={<CleaningServicesOutlinedIcon />}
            sx={{ color: 'text.secondary' }}
          >
            {t('playground.clearContext')}
          </Button>
        )}
        <Box
          id="composer-hint"
          role={problem === null ? undefined : 'alert'}
          sx={{
            ml: 'auto',
            mr: 0.5,
            fontSize: 12,
            textAlign: 'right',
            color: problem === null ? 'text.secondary' : 'error.main',
            display: { xs: problem === null ? 'none' : 'block', sm: 'block' },
          }}
        >
          {problem ?? t('playground.keys')}
        </Box>
        {running ? (
          <Button
            variant="contained"
            startIcon={<StopIcon />}
            onClick={onStop}
            sx={{ ml: { xs: problem === null ? 'auto' : 0, sm: 0 } }}
          >
            {t('playground.stop')}
          </Button>
        ) : (
          <Button
            type="submit"
            variant="contained"
            startIcon={<ArrowUpwardOutlinedIcon />}
            disabled={!canSend}
            sx={{ ml: { xs: problem === null ? 'auto' : 0, sm: 0 } }}
          >
            {t('playground.send')}
          </Button>
        )}
      </Box>
    </Box>
  );
}

function FileButton({
  label,
  accept,
  multiple = false,
  onFiles,
  children,
}: {
  readonly label: string;
  readonly accept: string;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <Tooltip title={label}>
      <span>
        <IconButton aria-label={label} onClick={() => file.current?.click()}>
          {children}
        </IconButton>
        <input
          ref={file}
          type="file"
          accept={accept}
          multiple={multiple}
          hidden
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])]);
            // Allow choosing the same file again.
            event.target.value = '';
          }}
        />
      </span>
    </Tooltip>
  );
}

function Attached({
  images,
  onRemove,
}: {
  readonly images: readonly string[];
  readonly onRemove: (index: number) => void;
}) {
  const { t } = useTranslation();
  if (images.length === 0) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, padding: '4px 8px 8px' }}>
      {images.map((image, index) => (
        <Box key={index} sx={{ position: 'relative' }}>
          <Box
            component="img"
            src={image}
            alt={t('playground.image', { number: index + 1 })}
            sx={{
              display: 'block',
              width: 64,
              height: 64,
              objectFit: 'cover',
              borderRadius: '6px',
              border: '1px solid',
              borderColor: 'divider',
            }}
          />
          <IconButton
            aria-label={t('playground.removeImage', { number: index + 1 })}
            onClick={() => onRemove(index)}
            sx={({ vars }) => ({
              position: 'absolute',
              top: -8,
              right: -8,
              width: 22,
              height: 22,
              border: `1px solid ${vars.palette.surface.lineStrong}`,
              backgroundColor: vars.palette.background.paper,
              '& svg': { fontSize: 14 },
              '&:hover': { backgroundColor: vars.palette.surface.hover },
            })}
          >
            <CloseOutlinedIcon />
          </IconButton>
        </Box>
      ))}
    </Box>
  );
}
