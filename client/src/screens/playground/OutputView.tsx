import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import DownloadOutlinedIcon from '@mui/icons-material/DownloadOutlined';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainTable } from '../../components/PlainTable.js';
import { ToneChip } from '../../components/Tone.js';
import { integer } from '../../lib/format.js';
import type { Output } from './outputs.js';

/** A result that is no text. */
export function OutputView({ output }: { readonly output: Output }) {
  const { t } = useTranslation();
  switch (output.type) {
    case 'image':
      return (
        <Media output={output}>
          <Box
            component="img"
            src={output.url}
            alt={output.fileName}
            sx={{
              display: 'block',
              maxWidth: '100%',
              maxHeight: 480,
              borderRadius: '8px',
              border: '1px solid',
              borderColor: 'divider',
            }}
          />
        </Media>
      );
    case 'audio':
      return (
        <Media output={output}>
          <Box
            component="audio"
            controls
            src={output.url}
            aria-label={output.fileName}
            sx={{ width: '100%', maxWidth: 420 }}
          />
        </Media>
      );
    case 'video':
      return (
        <Media output={output}>
          <Box
            component="video"
            controls
            src={output.url}
            aria-label={output.fileName}
            sx={{
              display: 'block',
              maxWidth: '100%',
              maxHeight: 480,
              borderRadius: '8px',
              backgroundColor: 'surface.sunken',
            }}
          />
        </Media>
      );
    case 'scores': {
      const head = t(output.of === 'documents' ? 'playground.document' : 'playground.category');
      return (
        <PlainTable label={head} heads={[head, t('playground.score')]}>
          {output.rows.map(({ name, score, isFlagged }) => (
            <tr key={name}>
              <th scope="row">
                {name}
                {isFlagged && <ToneChip tone="red">{t('playground.flagged')}</ToneChip>}
              </th>
              <td className="num">{score.toFixed(4)}</td>
            </tr>
          ))}
        </PlainTable>
      );
    }
    case 'vector':
      return (
        <Box>
          {t('playground.dimensionsOf', { number: integer(output.dimensions) })}
          <Box className="mono" sx={{ fontSize: 12.5, color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {`[${output.values.map((value) => value.toFixed(6)).join(', ')}${output.dimensions > output.values.length ? ', …' : ''}]`}
          </Box>
        </Box>
      );
  }
}

function Media({
  output: { url, fileName },
  children,
}: {
  readonly output: Extract<Output, { url: string }>;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-end', gap: 0.5, minWidth: 0 }}>
      <Box sx={{ minWidth: 0 }}>{children}</Box>
      <IconButton
        component="a"
        href={url}
        download={fileName}
        aria-label={t('playground.download', { name: fileName })}
      >
        <DownloadOutlinedIcon />
      </IconButton>
    </Box>
  );
}
