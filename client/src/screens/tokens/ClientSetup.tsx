import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { Field } from '../../components/form/Field.js';
import { labelledSelect } from '../../components/form/labelledSelect.js';
import { RichText } from '../../components/RichText.js';
import { sitePath } from '../../lib/basePath.js';
import { markdownBlocks, modelHtml } from '../../lib/modelText.js';
import { clientPages, fillPage, type ClientPageId } from './clientPages.js';

/**
 * How to set a program up, from the documentation that this server serves, with the site's address and the key filled in.
 * @param shown the key, or a placeholder for a key that is fetched on copy
 * @param load returns the complete key
 */
export function ClientSetup({
  address,
  shown,
  load,
}: {
  readonly address: string;
  readonly shown: string;
  readonly load: () => Promise<string>;
}) {
  const { t, i18n } = useTranslation();
  const fieldId = useId();
  const [id, setId] = useState<ClientPageId>('claude-code');
  const [page, setPage] = useState<{ readonly path: string; readonly text: string | null } | null>(null);
  const path = `/docs${i18n.language.startsWith('zh') ? '/zh' : ''}/clients/${id}.md`;
  useEffect(() => {
    let current = true;
    void fetch(sitePath(path))
      .then(async (response) => (response.ok ? response.text() : null))
      .catch(() => null)
      .then((text) => current && setPage({ path, text }));
    return () => {
      current = false;
    };
  }, [path]);
  const text = page?.path === path ? page.text : '';
  return (
    <>
      <Box sx={{ mb: 2 }}>
        <Field label={t('tokens.program')} id={fieldId}>
          <Select fullWidth value={id} onChange={({ target }) => setId(target.value)} {...labelledSelect(fieldId)}>
            {clientPages.map((one) => (
              <MenuItem key={one.id} value={one.id}>
                {one.name}
              </MenuItem>
            ))}
          </Select>
        </Field>
      </Box>
      {text === null && <Box role="alert">{t('tokens.programFailed')}</Box>}
      {markdownBlocks(fillPage(text ?? '', address, shown)).map((block, index) => (
        <Box key={index} sx={{ mb: 1.5 }}>
          {block.kind === 'code' ? (
            <CodeBlock
              scroll
              text={block.text}
              copyLabel={t('fields.copyExample')}
              copyValue={async () => block.text.replaceAll(shown, await load())}
            />
          ) : (
            <RichText text={block.text} toHtml={modelHtml} />
          )}
        </Box>
      ))}
    </>
  );
}
