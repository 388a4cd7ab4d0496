import { skipToken, useApolloClient, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { CopyButton } from '../../components/CopyButton.js';
import { Mono } from '../../components/Text.js';
import { maskKey } from '../../lib/format.js';
import { useBaseAddress } from '../../lib/status.js';
import { ClientSetup } from './ClientSetup.js';
import { withPrefix } from './tokenCells.js';
import { TokenKeyDocument, TokenModelsDocument } from './tokens.generated.js';

export const curlExample = (address: string, key: string, model: string): string =>
  `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hi"}]}'`;

const pythonExample = (address: string, key: string, model: string): string =>
  `from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hi"}],
)
print(answer.choices[0].message.content)`;

const nodeExample = (address: string, key: string, model: string): string =>
  `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hi' }],
});
console.log(answer.choices[0].message.content);`;

/** A model that the user can call; the usual one where the models are unknown. */
export const exampleModel = (models: readonly string[]): string =>
  models.includes(usualModel) ? usualModel : (models[0] ?? usualModel);

const usualModel = 'gpt-4o-mini';

const examples = { curl: curlExample, python: pythonExample, node: nodeExample };
type Example = keyof typeof examples | 'programs';

export interface UsedToken {
  readonly id: number;
  readonly name: string;
  /** The key. Null when it is fetched on copy. */
  readonly key: string | null;
  /** The models it is limited to; empty: all of the user. */
  readonly models: readonly string[];
}

/** Examples of calls with a token. They contain the key of a new token; other keys are fetched on copy. */
export function TokenUsageDialog({ token, onClose }: { readonly token: UsedToken; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const address = useBaseAddress();
  const [example, setExample] = useState<Example>('curl');
  const [limited] = token.models;
  const own = useQuery(TokenModelsDocument, limited === undefined ? {} : skipToken).data?.myModels;
  const model = limited ?? exampleModel(own ?? []);
  const load = async () => {
    if (token.key !== null) return withPrefix(token.key);
    const { data } = await client.query({
      query: TokenKeyDocument,
      variables: { id: token.id },
      fetchPolicy: 'no-cache',
    });
    return withPrefix(data?.tokenKey ?? '');
  };
  const shown = token.key === null ? 'sk-…' : withPrefix(token.key);
  const row = { display: 'grid', gridTemplateColumns: '96px 1fr 32px', alignItems: 'center', minHeight: 34 } as const;
  return (
    <ContentDialog
      title={
        token.key === null ? t('tokens.usageOf', { name: token.name }) : t('tokens.createdTitle', { name: token.name })
      }
      done={t('actions.done')}
      onClose={onClose}
    >
      <Box sx={row}>
        <Box sx={{ color: 'text.secondary' }}>{t('fields.baseUrl')}</Box>
        <Mono>{`${address}/v1`}</Mono>
        <CopyButton value={`${address}/v1`} label={t('fields.copyBaseUrl')} />
      </Box>
      <Box sx={row}>
        <Box sx={{ color: 'text.secondary' }}>{t('fields.key')}</Box>
        <Mono>{shown}</Mono>
        <CopyButton
          value={load}
          shown={token.key === null ? '' : maskKey(shown)}
          label={t('tokens.copyKeyOf', { name: token.name })}
        />
      </Box>
      <Tabs
        value={example}
        onChange={(_, value: Example) => setExample(value)}
        sx={{ mt: 1, mb: 1.5, borderBottom: '1px solid', borderColor: 'divider' }}
      >
        <Tab value="curl" label="curl" />
        <Tab value="python" label="Python" />
        <Tab value="node" label="Node.js" />
        <Tab value="programs" label={t('tokens.programs')} />
      </Tabs>
      {example === 'programs' ? (
        <ClientSetup address={address} shown={shown} load={load} />
      ) : (
        <CodeBlock
          scroll
          text={examples[example](address, shown, model)}
          copyLabel={t('fields.copyExample')}
          copyValue={async () => examples[example](address, await load(), model)}
        />
      )}
    </ContentDialog>
  );
}
