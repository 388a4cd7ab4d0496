import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { useBaseAddress } from '../../lib/status.js';
import type { ApiRequest } from './calls.js';
import { codeLanguages, type CodeLanguage } from './code/code.js';

/** The next request as a program sends it, with a placeholder for the key. */
export function CodeDialog({ request, onClose }: { readonly request: ApiRequest; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const baseUrl = `${useBaseAddress()}/v1`;
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const write = codeLanguages.find(({ id }) => id === language)?.write;
  return (
    <ContentDialog title={t('playground.viewCode')} width="md" onClose={onClose}>
      <Tabs
        value={language}
        variant="scrollable"
        onChange={(_, next: CodeLanguage) => setLanguage(next)}
        sx={{ mb: 1.5, borderBottom: '1px solid', borderColor: 'divider' }}
      >
        {codeLanguages.map(({ id, name }) => (
          <Tab key={id} value={id} label={name} />
        ))}
      </Tabs>
      <CodeBlock
        scroll
        text={write?.({ ...request, baseUrl, key: 'sk-your-key' }) ?? ''}
        copyLabel={t('fields.copyExample')}
      />
    </ContentDialog>
  );
}
