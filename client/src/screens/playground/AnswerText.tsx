import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CheckOutlinedIcon from '@mui/icons-material/CheckOutlined';
import ContentCopyOutlinedIcon from '@mui/icons-material/ContentCopyOutlined';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/CopyProvider.js';
import { RichText } from '../../components/RichText.js';
import { markdownBlocks, modelHtml } from '../../lib/modelText.js';

/** Style of the blinking cursor behind streamed text. */
export const cursor = {
  display: 'inline-block',
  width: 8,
  height: 16,
  borderRadius: '1px',
  backgroundColor: 'primary.main',
  animation: 'playground-cursor 1s steps(2, jump-none) infinite',
  '@keyframes playground-cursor': { from: { opacity: 1 }, to: { opacity: 0.25 } },
} as const;

/** A model's text as Markdown. While it streams, only the last block is parsed and rendered again. */
export const AnswerText = memo(function AnswerText({
  text,
  growing = false,
}: {
  readonly text: string;
  /** The text is still streaming: show a cursor at its end. */
  readonly growing?: boolean;
}) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        gap: 1.5,
        minWidth: 0,
        ...(growing
          ? { '& > :last-child > p:last-child::after': { content: '""', ...cursor, ml: '4px', verticalAlign: '-3px' } }
          : {}),
      }}
    >
      {blocks.map((block, index) =>
        block.kind === 'code' ? (
          <AnswerCode key={index} language={block.language} text={block.text} />
        ) : (
          <Words key={index} text={block.text} />
        ),
      )}
    </Box>
  );
});

const Words = memo(function Words({ text }: { readonly text: string }) {
  return <RichText text={text} toHtml={modelHtml} />;
});

const AnswerCode = memo(function AnswerCode({ language, text }: { readonly language: string; readonly text: string }) {
  const { t } = useTranslation();
  const copy = useCopy();
  const [copied, setCopied] = useState(false);
  const press = async () => {
    if (!(await copy(text, ''))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <Box
      sx={({ vars }) => ({
        border: `1px solid ${vars.palette.surface.line}`,
        borderRadius: '8px',
        backgroundColor: vars.palette.surface.sunken,
        overflow: 'hidden',
        minWidth: 0,
      })}
    >
      <Box
        sx={({ vars }) => ({
          display: 'flex',
          alignItems: 'center',
          justifyContent: 'space-between',
          minHeight: 34,
          padding: '0 4px 0 12px',
          borderBottom: `1px solid ${vars.palette.surface.line}`,
          fontSize: 12,
          color: vars.palette.text.secondary,
        })}
      >
        <span>{language}</span>
        <Button
          startIcon={copied ? <CheckOutlinedIcon /> : <ContentCopyOutlinedIcon />}
          onClick={() => void press()}
          sx={{ minHeight: 28, fontSize: 12, color: copied ? 'success.main' : 'text.secondary' }}
        >
          {t('actions.copy')}
        </Button>
      </Box>
      <Box
        component="pre"
        className="mono"
        tabIndex={0}
        aria-label={t('playground.code', { language })}
        role="group"
        sx={{ m: 0, padding: '10px 12px', overflowX: 'auto', fontSize: 12.5, lineHeight: '20px' }}
      >
        {text}
      </Box>
    </Box>
  );
});
