import dashboards from '../../../../schema/dashboards.json';
import type { DashboardPartsFragment, PanelPartsFragment } from './dashboards.generated.js';

/** A dashboard of the first page. The server's build writes it to `schema/dashboards.json`. */
interface BuiltInDashboard extends Pick<DashboardPartsFragment, 'name'> {
  readonly builtIn: string;
  readonly panels: [PanelPartsFragment, ...PanelPartsFragment[]];
}

/** TypeScript reads the enums of a JSON file as texts. */
const [site, mine] = dashboards as readonly unknown[] as [BuiltInDashboard, BuiltInDashboard];

/** The dashboards of the first page: of the usage of all users, and of the reader's own. */
export const builtInDashboards = { site, mine };
