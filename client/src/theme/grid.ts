import type { Components, Theme } from '@mui/material/styles';
import type {} from '@mui/x-data-grid/themeAugmentation';
import { sans } from './fonts.js';

/** The data grid: lines, no outer border (its card has one), quiet headers. */
export const gridOverrides: Components<Theme> = {
  MuiDataGrid: {
    styleOverrides: {
      root: ({ theme: { vars } }) => ({
        '--DataGrid-t-color-border-base': vars.palette.surface.line,
        '--DataGrid-t-header-background-base': 'transparent',
        border: 0,
        fontSize: 13,
        fontFamily: sans,
        '& .MuiDataGrid-columnHeader, & .MuiDataGrid-columnHeaders [role=row]': {
          backgroundColor: vars.palette.background.paper,
        },
        '& .MuiDataGrid-columnHeader': { padding: '0 10px' },
        '& .MuiDataGrid-columnHeaderTitle': { fontSize: 12, fontWeight: 500, color: vars.palette.text.secondary },
        '& .MuiDataGrid-columnSeparator': { opacity: 0 },
        '& .MuiDataGrid-columnHeaders:hover .MuiDataGrid-columnSeparator': { opacity: 1 },
        '& .MuiDataGrid-cell': {
          borderColor: vars.palette.surface.line,
          padding: '0 10px',
          display: 'flex',
          alignItems: 'center',
        },
        '& .MuiDataGrid-cell--textRight': { justifyContent: 'flex-end' },
        // These cells at the end of a row and of the header would make every list some pixels wider than its frame.
        '& .MuiDataGrid-cellEmpty': { padding: 0 },
        '& .MuiDataGrid-columnHeader--last .MuiDataGrid-columnSeparator': { display: 'none' },
        '& .MuiDataGrid-row:hover': { backgroundColor: vars.palette.surface.hover },
        '& .MuiDataGrid-row.Mui-selected': { backgroundColor: vars.palette.action.selected },
        '& .MuiDataGrid-cell:focus, & .MuiDataGrid-columnHeader:focus, & .MuiDataGrid-cell:focus-within, & .MuiDataGrid-columnHeader:focus-within':
          { outline: 'none' },
        '& .MuiDataGrid-cell:focus-visible, & .MuiDataGrid-columnHeader:focus-visible': {
          outline: `2px solid ${vars.palette.primary.main}`,
          outlineOffset: -2,
        },
      }),
    },
  },
};
