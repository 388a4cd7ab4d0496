import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';

/** A choice of a few options, side by side. On phones, more than four of them are separate buttons that wrap. */
export function Segments<V extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  readonly label: string;
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly choices: readonly { readonly value: V; readonly label: string; readonly disabled?: boolean }[];
}) {
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      value={value}
      aria-label={label}
      onChange={(_, next: V | null) => {
        if (next !== null) onChange(next);
      }}
      sx={({ vars, breakpoints }) => ({
        alignSelf: 'flex-start',
        maxWidth: '100%',
        overflowX: 'auto',
        backgroundColor: vars.palette.background.paper,
        '& .MuiToggleButton-root': {
          height: 32,
          padding: '0 12px',
          fontSize: 13,
          fontWeight: 400,
          [breakpoints.down('sm')]: { height: 40 },
          textTransform: 'none',
          whiteSpace: 'nowrap',
          color: vars.palette.text.primary,
          borderColor: vars.palette.surface.lineStrong,
          '&:hover': { backgroundColor: vars.palette.surface.hover },
          '&.Mui-selected, &.Mui-selected:hover': {
            color: vars.palette.primary.main,
            backgroundColor: vars.palette.action.selected,
            fontWeight: 500,
          },
        },
        ...(choices.length > 4 && {
          [breakpoints.down('sm')]: {
            flexWrap: 'wrap',
            gap: '6px',
            backgroundColor: 'transparent',
            '& .MuiToggleButtonGroup-grouped.MuiToggleButtonGroup-grouped': {
              margin: 0,
              border: `1px solid ${vars.palette.surface.lineStrong}`,
              borderRadius: '6px',
            },
          },
        }),
      })}
    >
      {choices.map((choice) => (
        <ToggleButton key={choice.value} value={choice.value} disabled={choice.disabled ?? false}>
          {choice.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
