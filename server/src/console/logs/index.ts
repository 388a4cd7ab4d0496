export { LogExport } from './log-export.js';
export { LogTail } from './log-tail.js';
export type { LogView } from './log-view.js';
export { Log } from './log.entity.js';
export { LogType } from './../../shared/log-type.js';
export { LogService } from './log.service.js';
