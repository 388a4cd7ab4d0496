import { frFR } from '@mui/x-data-grid/locales';

/** The texts of the data grid. */
export const grid = frFR.components.MuiDataGrid.defaultProps.localeText;
