import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';

export interface FieldProps {
  readonly label: string;
  /** The id of the control inside. The label has `<id>-label`, the helper text `<id>-hint`. */
  readonly id: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string;
  /** Shown at the right of the label in place of "Optional". */
  readonly aside?: ReactNode;
  /** Why the control is disabled, shown as its tooltip. */
  readonly locked?: string | undefined;
  readonly children: ReactNode;
}

/** A label above its control, with a mark for required or optional, and one line of help or error below. */
export function Field(props: FieldProps) {
  const { label, id, required = false, optional = false, hint, error, aside, locked = '', children } = props;
  const { t } = useTranslation();
  const below = error ?? hint;
  return (
    <Box sx={{ minWidth: 0, display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) auto', columnGap: 1 }}>
      <Box
        component="label"
        id={`${id}-label`}
        htmlFor={id}
        sx={{ mb: '5px', fontSize: 12.5, lineHeight: '18px', fontWeight: 500 }}
      >
        {label}
        {required && (
          <Box component="span" aria-hidden sx={{ color: 'error.main' }}>
            {' *'}
          </Box>
        )}
      </Box>
      {/* A disabled control has no pointer events, so the tooltip is that of its box. */}
      <Tooltip title={locked} describeChild>
        <Box sx={{ gridArea: '2 / 1 / auto / span 2', minWidth: 0, display: 'flex', flexDirection: 'column' }}>
          {children}
        </Box>
      </Tooltip>
      {(aside ?? optional) && (
        // In the DOM the element follows the control, so that Tab leads from the user name to the password.
        <Box
          className="num"
          sx={{ gridArea: '1 / 2', fontSize: 12, lineHeight: '18px', color: 'text.secondary', whiteSpace: 'nowrap' }}
        >
          {aside ?? t('form.optional')}
        </Box>
      )}
      {below && (
        <FormHelperText
          id={`${id}-hint`}
          error={error !== undefined}
          role={error === undefined ? undefined : 'alert'}
          sx={{ gridColumn: '1 / 3' }}
        >
          {below}
        </FormHelperText>
      )}
    </Box>
  );
}
