import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import type { ModelKind } from './playground.generated.js';

const chatSamples = ['playground.sampleCode', 'playground.sampleExplain', 'playground.sampleTranslate'] as const;
const mediaSamples = ['playground.sampleImage'] as const;
const textSamples = ['playground.sampleText'] as const;

function samplesOf(kind: ModelKind): typeof chatSamples | typeof mediaSamples | typeof textSamples | readonly [] {
  if (kind === 'CHAT') return chatSamples;
  if (kind === 'IMAGE' || kind === 'VIDEO') return mediaSamples;
  return kind === 'TRANSCRIPTION' || kind === 'MUSIC' || kind === 'REALTIME' ? [] : textSamples;
}

/** Sample prompts. A click copies the prompt into the composer without sending it. */
export function SamplePrompts({
  model,
  kind,
  onPick,
}: {
  readonly model: string;
  readonly kind: ModelKind;
  readonly onPick: (prompt: string) => void;
}) {
  const { t } = useTranslation();
  // Without a model nothing can be sent.
  const prompts = model === '' ? [] : samplesOf(kind).map((sample) => t(sample));
  return (
    <Box sx={{ my: 'auto', display: 'flex', flexDirection: 'column', gap: 1 }}>
      <Typography variant="h2">{t(kind === 'CHAT' ? 'playground.begin' : 'playground.beginOther')}</Typography>
      <Typography variant="body2" color="textSecondary" sx={{ mb: 1 }}>
        {model === '' ? t('fields.noModels') : t('playground.beginText')}
      </Typography>
      {prompts.map((prompt) => (
        <ButtonBase
          key={prompt}
          onClick={() => onPick(prompt)}
          sx={({ vars }) => ({
            justifyContent: 'flex-start',
            textAlign: 'left',
            minHeight: 44,
            padding: '10px 14px',
            borderRadius: '8px',
            border: `1px solid ${vars.palette.surface.line}`,
            backgroundColor: vars.palette.background.paper,
            fontFamily: 'inherit',
            fontSize: 13,
            lineHeight: '20px',
            '&:hover': { backgroundColor: vars.palette.surface.hover },
          })}
        >
          {prompt}
        </ButtonBase>
      ))}
    </Box>
  );
}
