import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';

/** Sample prompts. A click copies the prompt into the composer without sending it. */
export function SamplePrompts({
  model,
  onPick,
}: {
  readonly model: string;
  readonly onPick: (prompt: string) => void;
}) {
  const { t } = useTranslation();
  const prompts = [t('playground.sampleCode'), t('playground.sampleExplain'), t('playground.sampleTranslate')];
  return (
    <Box sx={{ my: 'auto', display: 'flex', flexDirection: 'column', gap: 1 }}>
      <Typography variant="h2">{t('playground.begin')}</Typography>
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
