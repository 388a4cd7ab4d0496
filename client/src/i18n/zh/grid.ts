import { zhCN } from '@mui/x-data-grid/locales';

/** The texts of the data grid. */
export const grid = zhCN.components.MuiDataGrid.defaultProps.localeText;
