import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import type { Components, Theme } from '@mui/material/styles';
import { createElement } from 'react';

/**
 * On phones, the area that reacts to a touch is at least 40 px high, even around small icons. Horizontally it stays
 * within the usual gaps. A percentage refers to the button.
 */
const touchArea = {
  '&::after': {
    content: '""',
    position: 'absolute',
    inset: 'min(0px, (100% - 40px) / 2) max(-4px, min(0px, (100% - 40px) / 2))',
  },
};

/** Buttons, fields, chips, switches, tabs. */
export const controlOverrides: Components<Theme> = {
  MuiButtonBase: {
    defaultProps: { disableRipple: true },
    styleOverrides: {
      root: ({ theme }) => ({
        '&.Mui-focusVisible': { outline: `2px solid ${theme.vars.palette.primary.main}`, outlineOffset: 1 },
      }),
    },
  },
  MuiButton: {
    defaultProps: { disableElevation: true, size: 'small' },
    styleOverrides: {
      root: ({ theme }) => ({
        minHeight: 32,
        padding: '5px 12px',
        borderRadius: 6,
        whiteSpace: 'nowrap',
        [theme.breakpoints.down('sm')]: { minHeight: 40 },
      }),
      sizeLarge: { minHeight: 40, fontSize: 14 },
      text: { padding: '5px 8px' },
      outlined: ({ theme: { vars } }) => ({
        color: vars.palette.text.primary,
        borderColor: vars.palette.surface.lineStrong,
        backgroundColor: vars.palette.background.paper,
        '&:hover': { borderColor: vars.palette.text.disabled, backgroundColor: vars.palette.surface.hover },
      }),
      startIcon: { marginRight: 6, marginLeft: -2, '& > *:nth-of-type(1)': { fontSize: 16 } },
      endIcon: { marginLeft: 6, '& > *:nth-of-type(1)': { fontSize: 16 } },
    },
    variants: [
      {
        props: { variant: 'contained', color: 'primary' },
        style: ({ theme: { vars } }) => ({
          backgroundColor: vars.palette.filled.main,
          color: vars.palette.filled.text,
          '&:hover': { backgroundColor: vars.palette.filled.hover },
        }),
      },
      {
        props: { variant: 'contained', color: 'error' },
        style: ({ theme: { vars } }) => ({
          backgroundColor: vars.palette.error.main,
          color: vars.palette.background.paper,
          '&:hover': { backgroundColor: vars.palette.error.main, filter: 'brightness(0.92)' },
        }),
      },
    ],
  },
  MuiIconButton: {
    defaultProps: { size: 'small' },
    styleOverrides: {
      root: ({ theme }) => ({
        borderRadius: 6,
        width: 32,
        height: 32,
        color: theme.vars.palette.text.secondary,
        '& svg': { fontSize: 18 },
        [theme.breakpoints.down('sm')]: touchArea,
      }),
    },
  },
  MuiSvgIcon: { styleOverrides: { root: { fontSize: 18 } } },
  MuiOutlinedInput: {
    defaultProps: { size: 'small' },
    styleOverrides: {
      root: ({ theme: { vars } }) => ({
        backgroundColor: vars.palette.background.paper,
        fontSize: 13,
        '& .MuiOutlinedInput-notchedOutline': { borderColor: vars.palette.surface.lineStrong },
        '&:hover:not(.Mui-disabled):not(.Mui-error) .MuiOutlinedInput-notchedOutline': {
          borderColor: vars.palette.text.disabled,
        },
        '&.Mui-focused .MuiOutlinedInput-notchedOutline': {
          borderWidth: 1,
          borderColor: vars.palette.primary.main,
          boxShadow: `0 0 0 3px rgba(${vars.palette.primary.mainChannel} / 0.18)`,
        },
        '&.Mui-error .MuiOutlinedInput-notchedOutline': { borderColor: vars.palette.error.main },
        '& legend': { display: 'none' },
        '& fieldset': { top: 0 },
      }),
      input: ({ theme }) => ({
        padding: '6px 10px',
        height: 20,
        '&::placeholder': { color: theme.vars.palette.text.disabled, opacity: 1 },
        // iOS zooms into fields under 16 px.
        [theme.breakpoints.down('sm')]: {
          padding: '10px',
          '@supports (-webkit-touch-callout: none)': { fontSize: 16 },
        },
      }),
      multiline: { padding: 0, '& textarea': { padding: '7px 10px', lineHeight: '20px' } },
      adornedStart: { paddingLeft: 10, '& .MuiInputBase-inputAdornedStart': { paddingLeft: 0 } },
      adornedEnd: { paddingRight: 6 },
    },
  },
  MuiInputAdornment: { styleOverrides: { root: ({ theme }) => ({ color: theme.vars.palette.text.secondary }) } },
  MuiSelect: {
    defaultProps: { size: 'small', IconComponent: ExpandMoreOutlinedIcon },
    styleOverrides: {
      select: ({ theme }) => ({
        minHeight: '20px !important',
        lineHeight: '20px',
        padding: '6px 10px',
        [theme.breakpoints.down('sm')]: { padding: '10px' },
      }),
      icon: { fontSize: 16, right: 8, top: 'calc(50% - 8px)' },
    },
  },
  MuiTextField: { defaultProps: { size: 'small' } },
  MuiAutocomplete: {
    defaultProps: { size: 'small', popupIcon: createElement(ExpandMoreOutlinedIcon, { sx: { fontSize: 16 } }) },
    styleOverrides: {
      inputRoot: ({ theme }) => ({
        '&.MuiOutlinedInput-root.MuiInputBase-sizeSmall': {
          padding: '3px 6px',
          gap: 4,
          '& .MuiAutocomplete-input': { padding: '3px 4px', minWidth: 40 },
          [theme.breakpoints.down('sm')]: { padding: '7px 6px' },
        },
      }),
      paper: ({ theme }) => ({
        borderRadius: 8,
        border: `1px solid ${theme.vars.palette.surface.line}`,
        boxShadow: '0 4px 16px rgba(8, 16, 18, 0.12)',
        fontSize: 13,
      }),
      option: { minHeight: '32px !important', fontSize: 13 },
      tag: { margin: 0 },
    },
  },
  MuiFormHelperText: { styleOverrides: { root: { margin: '4px 0 0', fontSize: 12, lineHeight: '16px' } } },
  MuiChip: {
    styleOverrides: {
      root: { borderRadius: 4, height: 22, fontSize: 12, fontWeight: 500 },
      label: { padding: '0 7px' },
      deleteIcon: { margin: '0 4px 0 -2px', fontSize: 14 },
    },
  },
  MuiSwitch: {
    styleOverrides: {
      root: { width: 34, height: 20, padding: 0, overflow: 'visible' },
      switchBase: {
        padding: 2,
        '&.Mui-checked': { transform: 'translateX(14px)', color: '#fff', '& + .MuiSwitch-track': { opacity: 1 } },
        '&.Mui-checked .MuiSwitch-input': { marginLeft: -14 },
        '&.Mui-disabled + .MuiSwitch-track': { opacity: 0.4 },
        '&.Mui-focusVisible': { outline: 'none' },
        '&.Mui-focusVisible + .MuiSwitch-track': { outline: '2px solid', outlineOffset: 2, outlineColor: 'inherit' },
      },
      // The input moves with the thumb by default and would overflow narrow drawers. Keep it on the track.
      input: ({ theme }) => ({
        left: 0,
        top: -6,
        width: 34,
        height: 32,
        [theme.breakpoints.down('sm')]: { left: -5, top: -12, width: 44, height: 44 },
      }),
      thumb: { width: 16, height: 16, boxShadow: '0 1px 2px rgba(0, 0, 0, 0.3)', backgroundColor: '#fff' },
      track: ({ theme }) => ({ borderRadius: 10, opacity: 1, backgroundColor: theme.vars.palette.surface.track }),
    },
  },
  MuiCheckbox: { defaultProps: { size: 'small' }, styleOverrides: { root: { padding: 6 } } },
  MuiRadio: { defaultProps: { size: 'small' }, styleOverrides: { root: { padding: 6 } } },
  MuiTabs: { styleOverrides: { root: { minHeight: 40 }, indicator: { height: 2 } } },
  MuiTab: {
    styleOverrides: {
      root: ({ theme }) => ({
        minHeight: 40,
        padding: '0 2px',
        marginRight: 22,
        minWidth: 0,
        fontSize: 13,
        color: theme.vars.palette.text.secondary,
        '&.Mui-selected': { color: theme.vars.palette.text.primary },
      }),
    },
  },
};
