import { useApolloClient } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { TextInput } from '../../components/form/inputs.js';
import { JsonInput } from '../../components/form/JsonInput.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { showFormError } from '../../components/form/showFormError.js';
import { DrawerSection, FieldRow } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { CheckPanelDocument, type PanelPartsFragment } from '../../nouns/dashboards/dashboards.generated.js';
import { PanelView } from '../../nouns/dashboards/PanelView.js';
import type { ViewerValues } from '../../nouns/dashboards/usePanelData.js';

interface Values {
  readonly title: string;
  readonly kind: PanelPartsFragment['kind'];
  readonly size: PanelPartsFragment['size'];
  readonly query: string;
  /** JSON. */
  readonly variables: string;
  /** Names with commas between them. */
  readonly numbers: string;
}

const example = `query ($range: TimeRange!, $timeZone: TimeZone!, $bucket: TimeBucket!) {
  usage(range: $range, timeZone: $timeZone, bucket: $bucket, groupBy: [MODEL], top: 5, fill: true, pageSize: 1000) {
    items {
      time
      key {
        modelName
      }
      metrics {
        usd
      }
    }
  }
}`;

const kinds = ['NUMBER', 'LINE', 'BAR', 'PIE', 'RANKING', 'TABLE'] as const;
const sizes = ['SMALL', 'MEDIUM', 'WIDE', 'LARGE'] as const;

/** The form fields by the server's names. */
const fieldNames = {
  'panel.title': 'title',
  'panel.kind': 'kind',
  'panel.size': 'size',
  'panel.query': 'query',
  'panel.variables': 'variables',
  'panel.numbers': 'numbers',
} as const;

/** Null: all numbers. */
const namesIn = (text: string): string[] | null => text.match(/[^\s,]+/g);

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The form of a panel. The server checks it, before it is shown below the form and before it is taken over. */
export function PanelEditor({
  panel,
  viewer,
  onDone,
  onClosed,
}: {
  /** Null: a new one. */
  readonly panel: PanelPartsFragment | null;
  readonly viewer: ViewerValues;
  readonly onDone: (panel: PanelPartsFragment) => void;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const form = useForm<Values>({
    mode: 'onTouched',
    defaultValues: {
      title: panel?.title ?? '',
      kind: panel?.kind ?? 'BAR',
      size: panel?.size ?? 'MEDIUM',
      query: panel?.query ?? example,
      variables: JSON.stringify(panel?.variables ?? {}, null, 2),
      numbers: panel?.numbers?.join(', ') ?? '',
    },
  });
  const [preview, setPreview] = useState<{ readonly panel: PanelPartsFragment; readonly version: number } | null>(null);
  const check = async ({ variables, numbers, ...values }: Values): Promise<PanelPartsFragment> => {
    const { data } = await client.query({
      query: CheckPanelDocument,
      variables: {
        panel: {
          ...values,
          variables: JSON.parse(variables || '{}') as Record<string, unknown>,
          numbers: namesIn(numbers),
        },
      },
      fetchPolicy: 'no-cache',
    });
    if (!data?.checkPanel) throw new Error('no response');
    return data.checkPanel;
  };
  const show = form.handleSubmit(async (values) => {
    try {
      const checked = await check(values);
      setPreview((last) => ({ panel: checked, version: (last?.version ?? 0) + 1 }));
    } catch (error) {
      if (!showFormError(form, error, t, { names: fieldNames })) toast.failure(error, t);
    }
  });
  return (
    <EditorDrawer
      form={form}
      width={640}
      title={panel ? t('dashboards.editPanel') : t('dashboards.addPanel')}
      saveLabel={t('dashboards.usePanel')}
      onClosed={onClosed}
      pageHasGuard
      fieldNames={fieldNames}
      onSave={async (values) => onDone(await check(values))}
    >
      <DrawerSection title={t('dashboards.panel')}>
        <TextInput
          control={form.control}
          name="title"
          label={t('dashboards.title')}
          required
          maxLength={100}
          rules={{ required: t('dashboards.titleMissing') }}
        />
        <FieldRow>
          <SelectInput
            control={form.control}
            name="kind"
            label={t('dashboards.kind')}
            choices={kinds.map((value) => ({ value, label: t(`dashboards.kinds.${value}`) }))}
          />
          <SelectInput
            control={form.control}
            name="size"
            label={t('dashboards.size')}
            choices={sizes.map((value) => ({ value, label: t(`dashboards.sizes.${value}`) }))}
          />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('dashboards.query')} explanation={t('dashboards.queryText')}>
        <TextInput
          control={form.control}
          name="query"
          label={t('dashboards.graphql')}
          required
          mono
          rows={8}
          rules={{ required: t('dashboards.queryMissing') }}
        />
        <JsonInput
          control={form.control}
          name="variables"
          label={t('dashboards.variables')}
          optional
          hint={t('dashboards.variablesText')}
          example={'{ "customer": "acme" }'}
          shape={{ test: isObject, message: t('dashboards.notAnObject') }}
        />
        <TextInput
          control={form.control}
          name="numbers"
          label={t('dashboards.numbers')}
          optional
          hint={t('dashboards.numbersText')}
        />
      </DrawerSection>
      <DrawerSection title={t('dashboards.preview')}>
        {preview && <PanelView panel={preview.panel} viewer={viewer} version={preview.version} />}
        <Box>
          <Button variant="outlined" onClick={() => void show()}>
            {preview ? t('dashboards.previewAgain') : t('dashboards.showPreview')}
          </Button>
        </Box>
      </DrawerSection>
    </EditorDrawer>
  );
}
