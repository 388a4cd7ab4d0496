import Box from '@mui/material/Box';
import Switch from '@mui/material/Switch';
import {
  useController,
  type Control,
  type FieldPath,
  type FieldValues,
  type UseControllerProps,
} from 'react-hook-form';

/** A switch at the right of its name and one line of help. */
export function SwitchRow<T extends FieldValues>({
  control,
  name,
  label,
  hint,
  rules,
}: {
  readonly control: Control<T>;
  readonly name: FieldPath<T>;
  readonly label: string;
  readonly hint?: string;
  readonly rules?: NonNullable<UseControllerProps<T>['rules']>;
}) {
  const { field } = useController({ control, name, ...(rules ? { rules } : {}) });
  const id = `field-${name}`;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 2, justifyContent: 'space-between', minHeight: 40 }}>
      <Box>
        <Box component="label" htmlFor={id} sx={{ fontWeight: 500, fontSize: 13, cursor: 'pointer' }}>
          {label}
        </Box>
        {hint && (
          <Box id={`${id}-hint`} sx={{ fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}>
            {hint}
          </Box>
        )}
      </Box>
      <Switch
        checked={field.value}
        onChange={(_, checked) => field.onChange(checked)}
        onBlur={field.onBlur}
        slotProps={{ input: { id, ref: field.ref, ...(hint ? { 'aria-describedby': `${id}-hint` } : {}) } }}
      />
    </Box>
  );
}
